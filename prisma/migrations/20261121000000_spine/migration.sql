-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "session_status" AS ENUM ('IDLE', 'RUNNING', 'INACTIVE');

-- CreateEnum
CREATE TYPE "description_source" AS ENUM ('CLIENT');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('USER', 'ASSISTANT', 'SYSTEM');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('QUEUED', 'PROCESSING', 'DONE', 'FAILED', 'CANCELLED', 'STORED');

-- CreateEnum
CREATE TYPE "turn_status" AS ENUM ('QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED');

-- CreateEnum
CREATE TYPE "pipeline_step" AS ENUM ('RECEIVED', 'CONTEXT', 'PLANNING', 'PLANNED', 'VALIDATION', 'EXECUTING', 'REVIEWING', 'REPLANNING', 'DELIVERING', 'COMPLETE');

-- CreateEnum
CREATE TYPE "task_type" AS ENUM ('EXEC', 'MSG');

-- CreateEnum
CREATE TYPE "task_status" AS ENUM ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'SKIPPED', 'CANCELLED', 'INTERRUPTED');

-- CreateEnum
CREATE TYPE "review_verdict" AS ENUM ('OK', 'REPLAN');

-- CreateTable
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "source_kind" TEXT NOT NULL,
    "source_interactive" BOOLEAN NOT NULL,
    "source_platform" TEXT,
    "source_trigger_id" TEXT,
    "connector" TEXT,
    "metadata" JSONB NOT NULL DEFAULT '{}',
    "description" TEXT,
    "description_source" "description_source",
    "status" "session_status" NOT NULL DEFAULT 'IDLE',
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "turn_count" INTEGER NOT NULL DEFAULT 0,
    "queue_length" INTEGER NOT NULL DEFAULT 0,
    "last_message_preview" TEXT,
    "last_seq" INTEGER NOT NULL DEFAULT 0,
    "model_calls" INTEGER NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost" DOUBLE PRECISION,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_activity_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ready_at" TIMESTAMPTZ(6),
    "owner" INTEGER,
    "epoch" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "participants" (
    "session_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "joined_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "participants_pkey" PRIMARY KEY ("session_id","user_name")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "role" "message_role" NOT NULL,
    "user_name" TEXT,
    "content" TEXT NOT NULL,
    "trusted" BOOLEAN NOT NULL,
    "status" "message_status" NOT NULL,
    "client" TEXT NOT NULL,
    "idempotency_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "turns" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "message_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "status" "turn_status" NOT NULL DEFAULT 'QUEUED',
    "step" "pipeline_step",
    "failure" TEXT,
    "cancel_requested" BOOLEAN NOT NULL DEFAULT false,
    "commands_handled" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "model_calls" INTEGER NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost" DOUBLE PRECISION,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "turns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plans" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "goal" TEXT NOT NULL,
    "replan_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plans_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tasks" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "plan_id" TEXT NOT NULL,
    "index" INTEGER NOT NULL,
    "type" "task_type" NOT NULL,
    "detail" TEXT NOT NULL,
    "expect" TEXT,
    "status" "task_status" NOT NULL DEFAULT 'PENDING',
    "output" TEXT,
    "stderr" TEXT,
    "truncated" BOOLEAN NOT NULL DEFAULT false,
    "exit_code" INTEGER,
    "final" BOOLEAN NOT NULL DEFAULT false,
    "review_verdict" "review_verdict",
    "review_reason" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "tasks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "session_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "turn_id" TEXT,
    "type" TEXT NOT NULL,
    "data" JSONB NOT NULL,

    CONSTRAINT "events_pkey" PRIMARY KEY ("session_id","seq")
);

-- CreateTable
CREATE TABLE "model_calls" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "input_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "cached_tokens" INTEGER NOT NULL,
    "cost" DOUBLE PRECISION,
    "duration_ms" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "model_calls_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "nodes" (
    "id" SERIAL NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "nodes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "sessions_last_activity_at_id_idx" ON "sessions"("last_activity_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "sessions_ready" ON "sessions"("ready_at") WHERE (ready_at IS NOT NULL AND owner IS NULL);

-- CreateIndex
CREATE INDEX "sessions_owner" ON "sessions"("owner") WHERE (owner IS NOT NULL);

-- CreateIndex
CREATE INDEX "participants_user_name_session_id_idx" ON "participants"("user_name", "session_id");

-- CreateIndex
CREATE UNIQUE INDEX "messages_session_id_seq_key" ON "messages"("session_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "messages_session_id_client_idempotency_key_key" ON "messages"("session_id", "client", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "turns_message_id_key" ON "turns"("message_id");

-- CreateIndex
CREATE INDEX "turns_open" ON "turns"("session_id", "seq") WHERE (status IN ('QUEUED', 'RUNNING'));

-- CreateIndex
CREATE UNIQUE INDEX "turns_session_id_seq_key" ON "turns"("session_id", "seq");

-- CreateIndex
CREATE INDEX "plans_session_id_id_idx" ON "plans"("session_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "plans_turn_id_attempt_key" ON "plans"("turn_id", "attempt");

-- CreateIndex
CREATE INDEX "tasks_session_id_id_idx" ON "tasks"("session_id", "id");

-- CreateIndex
CREATE INDEX "tasks_turn_id_id_idx" ON "tasks"("turn_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "tasks_plan_id_index_key" ON "tasks"("plan_id", "index");

-- CreateIndex
CREATE INDEX "model_calls_session_id_at_idx" ON "model_calls"("session_id", "at");

-- AddForeignKey
ALTER TABLE "participants" ADD CONSTRAINT "participants_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "messages" ADD CONSTRAINT "messages_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "turns" ADD CONSTRAINT "turns_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plans" ADD CONSTRAINT "plans_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plans" ADD CONSTRAINT "plans_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "plans"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

