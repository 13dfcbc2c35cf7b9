-- What the summarizer would make of facts that are alike waits for an admin, and is no longer done at once.
CREATE TYPE "proposal_status" AS ENUM ('WAITING', 'ACCEPTED', 'REJECTED', 'UNDONE');

CREATE TABLE "fact_proposals" (
    "id" TEXT NOT NULL,
    "status" "proposal_status" NOT NULL DEFAULT 'WAITING',
    "steps" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "reason" TEXT,
    "change_id" TEXT,

    CONSTRAINT "fact_proposals_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "fact_proposal_sources" (
    "proposal_id" TEXT NOT NULL,
    "step" INTEGER NOT NULL,
    "fact_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "content" TEXT NOT NULL,

    CONSTRAINT "fact_proposal_sources_pkey" PRIMARY KEY ("proposal_id","fact_id")
);

CREATE INDEX "fact_proposals_status_id_idx" ON "fact_proposals"("status", "id");
CREATE INDEX "fact_proposals_change_id_idx" ON "fact_proposals"("change_id") WHERE change_id IS NOT NULL;
CREATE INDEX "fact_proposal_sources_fact_id_idx" ON "fact_proposal_sources"("fact_id");

ALTER TABLE "fact_proposal_sources" ADD CONSTRAINT "fact_proposal_sources_proposal_id_fkey" FOREIGN KEY ("proposal_id") REFERENCES "fact_proposals"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "fact_proposal_sources" ADD CONSTRAINT "fact_proposal_sources_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- All facts are looked at once more, for those that are alike.
ALTER TABLE "consolidation_state" DROP COLUMN "newest_fact_id";
UPDATE "consolidation_state" SET started_at = NULL, last_fact_id = NULL;
