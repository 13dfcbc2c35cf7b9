-- Where a learning was learned decides, with who taught it, whether a person has to look at it first.
CREATE TYPE "learning_source" AS ENUM ('REVIEW', 'CHAT', 'CHECKPOINT');

ALTER TYPE "learning_flag" ADD VALUE 'TEACHER';
ALTER TYPE "learning_flag" ADD VALUE 'ORDER';
ALTER TYPE "learning_flag" ADD VALUE 'SECRET';
ALTER TYPE "learning_flag" ADD VALUE 'REMARK';
ALTER TYPE "learning_flag" ADD VALUE 'AGENT';
ALTER TYPE "learning_flag" ADD VALUE 'RIGHTS';
ALTER TYPE "learning_flag" ADD VALUE 'PRIVATE';

ALTER TABLE "learnings" ADD COLUMN "source" "learning_source" NOT NULL DEFAULT 'REVIEW';

UPDATE "learnings" SET source = 'CHECKPOINT' WHERE task_id IS NULL;
