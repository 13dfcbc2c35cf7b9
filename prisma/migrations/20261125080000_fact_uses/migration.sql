-- Which turns said that they relied on a fact; turn_facts holds those that were shown it. What earlier turns relied on was not kept.
-- Without a reference to facts: one would lock the fact's row in every commit of a turn that used it.
CREATE TABLE "fact_uses" (
    "fact_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,

    CONSTRAINT "fact_uses_pkey" PRIMARY KEY ("fact_id","turn_id")
);

CREATE INDEX "fact_uses_turn_id_idx" ON "fact_uses"("turn_id");

ALTER TABLE "fact_uses" ADD CONSTRAINT "fact_uses_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;
