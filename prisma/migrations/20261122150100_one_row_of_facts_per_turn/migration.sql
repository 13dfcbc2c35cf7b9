-- Which facts a turn's planner was shown: one row per turn instead of one per fact, which were half of the database.

ALTER TABLE "turn_facts" RENAME TO "turn_facts_before";
ALTER TABLE "turn_facts_before" RENAME CONSTRAINT "turn_facts_pkey" TO "turn_facts_before_pkey";
ALTER TABLE "turn_facts_before" RENAME CONSTRAINT "turn_facts_turn_id_fkey" TO "turn_facts_before_turn_id_fkey";

CREATE TABLE "turn_facts" (
    "turn_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "fact_ids" TEXT[] NOT NULL,

    CONSTRAINT "turn_facts_pkey" PRIMARY KEY ("turn_id")
);

INSERT INTO "turn_facts" ("turn_id", "session_id", "fact_ids")
  SELECT turn_id, min(session_id), array_agg(fact_id ORDER BY fact_id) FROM "turn_facts_before" GROUP BY turn_id;
DROP TABLE "turn_facts_before";

CREATE INDEX "turn_facts_fact_ids" ON "turn_facts" USING GIN ("fact_ids");
ALTER TABLE "turn_facts" ADD CONSTRAINT "turn_facts_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;
