-- Facts change over time: a new one closes the old one, and what one act did to facts is one change, which can be undone as a whole.
ALTER TYPE "fact_change" ADD VALUE 'REPLACED';
ALTER TYPE "fact_change" ADD VALUE 'REVERTED';
ALTER TYPE "fact_change" ADD VALUE 'UNDONE';
ALTER TYPE "learning_source" ADD VALUE 'ANSWER';
ALTER TYPE "learning_flag" ADD VALUE 'REPLACES';

ALTER TABLE "facts" ADD COLUMN "valid_from" TIMESTAMPTZ(3),
ADD COLUMN "valid_to" TIMESTAMPTZ(3);

ALTER TABLE "fact_versions" ADD COLUMN "change_id" TEXT,
ADD COLUMN "before" JSONB;

CREATE INDEX "fact_versions_change" ON "fact_versions"("change_id") WHERE (change_id IS NOT NULL);

ALTER TABLE "learnings" ADD COLUMN "replaces_fact_id" TEXT;

CREATE INDEX "learnings_replaces_fact_id_idx" ON "learnings"("replaces_fact_id") WHERE (replaces_fact_id IS NOT NULL);

ALTER TABLE "learnings" ADD CONSTRAINT "learnings_replaces_fact_id_fkey" FOREIGN KEY ("replaces_fact_id") REFERENCES "facts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "questions" ADD COLUMN "fact_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
