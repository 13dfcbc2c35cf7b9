-- A session is worked on by plans or by a conversation with tools; a turn keeps the mode that its message was accepted with.
CREATE TYPE "session_mode" AS ENUM ('PLAN', 'CHAT');
ALTER TABLE "sessions" ADD COLUMN "mode" "session_mode" NOT NULL DEFAULT 'PLAN';
ALTER TABLE "turns" ADD COLUMN "mode" "session_mode" NOT NULL DEFAULT 'PLAN';

-- Calls of tools are tasks. In a conversation `round` is the model's answer that asked for the task, and `call_id` is what
-- the model calls it.
ALTER TYPE "task_type" ADD VALUE 'TOOL';
ALTER TYPE "pipeline_step" ADD VALUE 'ANSWERING';
ALTER TABLE "tasks" ADD COLUMN "tool" TEXT,
  ADD COLUMN "round" INTEGER,
  ADD COLUMN "call_id" TEXT;

-- The tools that a user may call, as patterns.
ALTER TABLE "users" ADD COLUMN "tools" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];
