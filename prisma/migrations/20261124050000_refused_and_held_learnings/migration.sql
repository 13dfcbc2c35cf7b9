-- What repeats is kept as REFUSED, with what it repeats; what a person has to decide about is held.
ALTER TYPE "learning_status" ADD VALUE 'REFUSED';

CREATE TYPE "learning_flag" AS ENUM ('REJECTED', 'RECALLED', 'REOPENED', 'UNUSABLE');

ALTER TABLE "learnings" ADD COLUMN "held" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "flags" "learning_flag"[] DEFAULT ARRAY[]::"learning_flag"[],
ADD COLUMN "repeats_fact_id" TEXT,
ADD COLUMN "repeats_learning_id" TEXT,
ADD COLUMN "similar_fact_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

CREATE INDEX "learnings_repeats_fact_id_idx" ON "learnings"("repeats_fact_id") WHERE (repeats_fact_id IS NOT NULL);

CREATE INDEX "learnings_repeats_learning_id_idx" ON "learnings"("repeats_learning_id") WHERE (repeats_learning_id IS NOT NULL);

ALTER TABLE "learnings" ADD CONSTRAINT "learnings_repeats_fact_id_fkey" FOREIGN KEY ("repeats_fact_id") REFERENCES "facts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "learnings" ADD CONSTRAINT "learnings_repeats_learning_id_fkey" FOREIGN KEY ("repeats_learning_id") REFERENCES "learnings"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- By the normal texts of former versions, what a person took out of use or corrected is known again.
ALTER TABLE "fact_versions" ADD COLUMN "norm" TEXT;

UPDATE "fact_versions" v SET norm = f.norm FROM "facts" f WHERE f.id = v.fact_id AND f.content = v.content;

CREATE INDEX "fact_versions_same" ON "fact_versions" USING HASH ("norm");
