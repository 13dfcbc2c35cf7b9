-- Whom a fact is shown. Those that are there are everybody's, as they were. A learning's scope is that of the fact that it
-- becomes; null: its session's. What waits already is its user's, so that nothing reaches further than it was taught.
CREATE TYPE "fact_scope" AS ENUM ('GLOBAL', 'PROJECT', 'USER', 'SESSION');

ALTER TYPE "fact_change" ADD VALUE 'SCOPED';
ALTER TYPE "question_source" ADD VALUE 'DISPUTE';

ALTER TABLE "facts" ADD COLUMN "scope" "fact_scope" NOT NULL DEFAULT 'GLOBAL',
ADD COLUMN "scope_of" TEXT NOT NULL DEFAULT '';

ALTER TABLE "learnings" ADD COLUMN "scope" "fact_scope",
ADD COLUMN "scope_of" TEXT NOT NULL DEFAULT '';

UPDATE "learnings" SET scope = 'USER', scope_of = user_name WHERE status <> 'PROMOTED' AND user_name IS NOT NULL;

-- A text is a fact once in each scope.
DROP INDEX "facts_once";
CREATE UNIQUE INDEX "facts_once" ON "facts" (md5(norm), scope, scope_of) WHERE (invalidated_at IS NULL AND norm <> '');

CREATE INDEX "facts_scope" ON "facts"("scope", "scope_of", "id" DESC);

-- Only these are consolidated.
CREATE INDEX "facts_of_all" ON "facts"("id" DESC) WHERE (invalidated_at IS NULL AND scope = 'GLOBAL'::fact_scope);
