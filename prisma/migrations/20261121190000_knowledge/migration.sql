-- How similar two texts are is measured by trigrams. A "trusted" extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- CreateEnum
CREATE TYPE "learning_status" AS ENUM ('PENDING', 'PROMOTED', 'ASKED', 'DISCARDED');

-- CreateEnum
CREATE TYPE "fact_source" AS ENUM ('CURATOR', 'SUMMARIZER', 'MANUAL');

-- CreateEnum
CREATE TYPE "fact_change" AS ENUM ('CREATED', 'EDITED', 'MERGED', 'INVALIDATED', 'RESTORED', 'CONSOLIDATED');

-- CreateEnum
CREATE TYPE "question_source" AS ENUM ('CURATOR', 'ADMIN');

-- CreateEnum
CREATE TYPE "question_status" AS ENUM ('OPEN', 'RESOLVED');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('PENDING', 'DELIVERED', 'DEAD');

-- CreateEnum
CREATE TYPE "audit_kind" AS ENUM ('MODEL_CALL', 'TASK', 'REVIEW', 'DELIVERY', 'KNOWLEDGE', 'ACCESS_DENIED', 'CONFIG', 'SESSION');

-- AlterEnum
ALTER TYPE "pipeline_step" ADD VALUE 'PARAPHRASE' BEFORE 'CONTEXT';
ALTER TYPE "pipeline_step" ADD VALUE 'CURATING' BEFORE 'COMPLETE';
ALTER TYPE "pipeline_step" ADD VALUE 'SUMMARIZING' BEFORE 'COMPLETE';
ALTER TYPE "pipeline_step" ADD VALUE 'CONSOLIDATING' BEFORE 'COMPLETE';

-- AlterEnum
ALTER TYPE "task_type" ADD VALUE 'SKILL';

-- AlterTable
ALTER TABLE "messages" ADD COLUMN     "paraphrase" TEXT;

-- AlterTable
ALTER TABLE "plans" ADD COLUMN     "rights" TEXT,
ADD COLUMN     "secret_names" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN     "summary" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "summary_seq" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "webhook" TEXT,
ADD COLUMN     "webhook_token" TEXT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "args" JSONB,
ADD COLUMN     "skill" TEXT;

-- AlterTable
ALTER TABLE "turns" ADD COLUMN     "paused_at" TIMESTAMPTZ(3),
ADD COLUMN     "paused_reason" TEXT,
ADD COLUMN     "takeovers" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "learnings" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "norm" TEXT NOT NULL,
    "status" "learning_status" NOT NULL DEFAULT 'PENDING',
    "reason" TEXT,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "fact_id" TEXT,
    "question_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "learnings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "facts" (
    "id" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "norm" TEXT NOT NULL,
    "source" "fact_source" NOT NULL,
    "session_id" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "invalidated_at" TIMESTAMPTZ(3),
    "replaced_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "facts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "fact_versions" (
    "fact_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "content" TEXT NOT NULL,
    "change" "fact_change" NOT NULL,
    "changed_by" TEXT NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "fact_versions_pkey" PRIMARY KEY ("fact_id","version")
);

-- CreateTable
CREATE TABLE "fact_words" (
    "word" TEXT NOT NULL,
    "fact_id" TEXT NOT NULL,

    CONSTRAINT "fact_words_pkey" PRIMARY KEY ("word","fact_id")
);

-- CreateTable
CREATE TABLE "learning_words" (
    "word" TEXT NOT NULL,
    "learning_id" TEXT NOT NULL,

    CONSTRAINT "learning_words_pkey" PRIMARY KEY ("word","learning_id")
);

-- CreateTable
CREATE TABLE "consolidation_state" (
    "id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(6),
    "newest_fact_id" TEXT,
    "last_fact_id" TEXT,

    CONSTRAINT "consolidation_state_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "turn_facts" (
    "turn_id" TEXT NOT NULL,
    "fact_id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,

    CONSTRAINT "turn_facts_pkey" PRIMARY KEY ("turn_id","fact_id")
);

-- CreateTable
CREATE TABLE "questions" (
    "id" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "norm" TEXT NOT NULL,
    "session_id" TEXT,
    "source" "question_source" NOT NULL,
    "status" "question_status" NOT NULL DEFAULT 'OPEN',
    "answer" TEXT,
    "resolved_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),

    CONSTRAINT "questions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "session_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "token_name" TEXT,
    "final" BOOLEAN NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'PENDING',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_files" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "content_type" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "published_files_pkey" PRIMARY KEY ("id")
);

-- Numbers of transactions begin anew where a dump is restored. What is added here then keeps the audit's order
-- (src/audit/audit-sealer.ts).
CREATE FUNCTION "audit_txid"(transaction xid8) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
  AS 'SELECT transaction::text::bigint + 0';

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" TEXT NOT NULL,
    "pos" BIGSERIAL NOT NULL,
    "txid" BIGINT NOT NULL DEFAULT audit_txid(pg_current_xact_id()),
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" "audit_kind" NOT NULL,
    "session_id" TEXT,
    "turn_id" TEXT,
    "actor" TEXT,
    "token_name" TEXT,
    "data" JSONB NOT NULL,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_seals" (
    "n" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "txid" BIGINT NOT NULL,
    "pos" BIGINT NOT NULL,
    "entries" INTEGER NOT NULL,
    "hash" BYTEA NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("n")
);

-- CreateIndex
CREATE UNIQUE INDEX "learnings_task_id_key" ON "learnings"("task_id");

-- CreateIndex
CREATE INDEX "learnings_status_id_idx" ON "learnings"("status", "id");

-- CreateIndex
CREATE INDEX "learnings_session_id_id_idx" ON "learnings"("session_id", "id");

-- CreateIndex
CREATE INDEX "learnings_pending" ON "learnings"("session_id", "id") WHERE (status = 'PENDING'::learning_status);

-- CreateIndex
CREATE INDEX "learnings_fact_id_idx" ON "learnings"("fact_id");

-- CreateIndex
CREATE INDEX "learnings_question_id_idx" ON "learnings"("question_id");

-- CreateIndex
CREATE INDEX "learnings_same" ON "learnings" USING HASH ("norm");

-- CreateIndex
CREATE INDEX "facts_live" ON "facts"("id" DESC) WHERE (invalidated_at IS NULL);

-- CreateIndex
CREATE INDEX "facts_session_id_idx" ON "facts"("session_id");

-- CreateIndex
CREATE INDEX "facts_replaced_by_id_idx" ON "facts"("replaced_by_id");

-- CreateIndex
CREATE INDEX "facts_same" ON "facts" USING HASH ("norm");

-- CreateIndex
CREATE INDEX "facts_norm" ON "facts" USING GIN ("norm" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "fact_words_fact_id_idx" ON "fact_words"("fact_id");

-- CreateIndex
CREATE INDEX "learning_words_learning_id_idx" ON "learning_words"("learning_id");

-- CreateIndex
CREATE INDEX "messages_untrusted" ON "messages"("session_id", "seq") WHERE (NOT trusted);

-- CreateIndex
CREATE INDEX "messages_told" ON "messages"("session_id", "seq") WHERE (trusted OR (paraphrase IS NOT NULL));

-- CreateIndex
CREATE INDEX "turn_facts_fact_id_turn_id_idx" ON "turn_facts"("fact_id", "turn_id");

-- CreateIndex
CREATE INDEX "questions_status_id_idx" ON "questions"("status", "id");

-- CreateIndex
CREATE INDEX "questions_session_id_status_id_idx" ON "questions"("session_id", "status", "id");

-- CreateIndex
CREATE INDEX "deliveries_session_id_seq_idx" ON "deliveries"("session_id", "seq");

-- CreateIndex
CREATE INDEX "deliveries_pending" ON "deliveries"("session_id", "seq") WHERE (status = 'PENDING'::delivery_status);

-- CreateIndex
CREATE INDEX "deliveries_status_id_idx" ON "deliveries"("status", "id");

-- CreateIndex
CREATE INDEX "deliveries_task_id_idx" ON "deliveries"("task_id");

-- CreateIndex
CREATE INDEX "published_files_session_id_idx" ON "published_files"("session_id");

-- CreateIndex
CREATE INDEX "published_files_task_id_idx" ON "published_files"("task_id");

-- CreateIndex
CREATE INDEX "published_files_expiring" ON "published_files"("expires_at") WHERE (expires_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "audit_entries_txid_pos_idx" ON "audit_entries"("txid", "pos");

-- CreateIndex
CREATE INDEX "audit_entries_session_id_at_idx" ON "audit_entries"("session_id", "at");

-- CreateIndex
CREATE INDEX "audit_entries_actor_at_idx" ON "audit_entries"("actor", "at");

-- CreateIndex
CREATE INDEX "audit_entries_at_idx" ON "audit_entries"("at");

-- CreateIndex
CREATE INDEX "audit_entries_rare" ON "audit_entries"("kind", "at") WHERE (kind <> ALL (ARRAY['MODEL_CALL'::audit_kind, 'TASK'::audit_kind, 'REVIEW'::audit_kind]));

-- CreateIndex
CREATE INDEX "audit_seals_day_n_idx" ON "audit_seals"("day", "n");

-- CreateIndex
CREATE INDEX "turns_paused" ON "turns"("session_id") WHERE (paused_at IS NOT NULL);

-- AddForeignKey
ALTER TABLE "learnings" ADD CONSTRAINT "learnings_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learnings" ADD CONSTRAINT "learnings_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learnings" ADD CONSTRAINT "learnings_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learnings" ADD CONSTRAINT "learnings_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learnings" ADD CONSTRAINT "learnings_question_id_fkey" FOREIGN KEY ("question_id") REFERENCES "questions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "facts" ADD CONSTRAINT "facts_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "facts" ADD CONSTRAINT "facts_replaced_by_id_fkey" FOREIGN KEY ("replaced_by_id") REFERENCES "facts"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "fact_versions" ADD CONSTRAINT "fact_versions_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "fact_words" ADD CONSTRAINT "fact_words_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "learning_words" ADD CONSTRAINT "learning_words_learning_id_fkey" FOREIGN KEY ("learning_id") REFERENCES "learnings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turn_facts" ADD CONSTRAINT "turn_facts_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turn_facts" ADD CONSTRAINT "turn_facts_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "questions" ADD CONSTRAINT "questions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_files" ADD CONSTRAINT "published_files_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_files" ADD CONSTRAINT "published_files_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Full-text search in facts. 'simple': facts are written in any language.
CREATE INDEX "facts_search" ON "facts" USING GIN (to_tsvector('simple', "content"));

INSERT INTO "consolidation_state" ("id") VALUES (1);

-- A word as it is looked up: without the plural's s, and only its beginning, so that "deploys" finds "deployment".
CREATE FUNCTION "word_key"(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN left(CASE WHEN length(word) > 3 THEN rtrim(word, 's') ELSE word END, 6);

CREATE FUNCTION "word_keys"(content text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT DISTINCT word_key(word) FROM unnest(tsvector_to_array(to_tsvector('simple', content))) AS word WHERE length(word) > 1;
  END;

-- The words of live facts, and of no others.
CREATE FUNCTION "keep_fact_words"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM fact_words WHERE fact_id = NEW.id;
  END IF;
  IF NEW.invalidated_at IS NULL THEN
    INSERT INTO fact_words (word, fact_id) SELECT word, NEW.id FROM word_keys(NEW.content) AS word;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER "facts_words" AFTER INSERT OR UPDATE OF "content", "invalidated_at" ON "facts"
  FOR EACH ROW EXECUTE FUNCTION "keep_fact_words"();

-- The text of a learning never changes.
CREATE FUNCTION "keep_learning_words"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO learning_words (word, learning_id) SELECT word, NEW.id FROM word_keys(NEW.content) AS word;
  RETURN NULL;
END $$;
CREATE TRIGGER "learnings_words" AFTER INSERT ON "learnings" FOR EACH ROW EXECUTE FUNCTION "keep_learning_words"();

-- The calls of models are audit entries from now on.
INSERT INTO "audit_entries" ("id", "at", "kind", "session_id", "turn_id", "actor", "data")
SELECT regexp_replace(c.id, '^[a-z]+_', 'aud_'), c.at, 'MODEL_CALL', c.session_id, c.turn_id, t.user_name,
  jsonb_build_object('role', c.role, 'provider', c.provider, 'model', c.model, 'status', c.status, 'inputTokens', c.input_tokens,
    'outputTokens', c.output_tokens, 'cachedTokens', c.cached_tokens, 'cost', c.cost, 'durationMs', c.duration_ms)
FROM "model_calls" c LEFT JOIN "turns" t ON t.id = c.turn_id ORDER BY c.at;
DROP TABLE "model_calls";

-- The audit is append-only. The retention job says who it is; everybody else is refused.
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('factotum.retention', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit is append-only: % on % is refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER "audit_entries_append_only" BEFORE UPDATE OR DELETE ON "audit_entries" FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_entries_no_truncate" BEFORE TRUNCATE ON "audit_entries" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_seals_append_only" BEFORE UPDATE OR DELETE ON "audit_seals" FOR EACH ROW EXECUTE FUNCTION "refuse_audit_change"();
CREATE TRIGGER "audit_seals_no_truncate" BEFORE TRUNCATE ON "audit_seals" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
