-- Checkpoints: what an introspector makes of a session since the last one, and who is at it.

CREATE TYPE "checkpoint_reason" AS ENUM ('MANUAL', 'NEW_SESSION', 'TURN_LIMIT', 'IDLE');
ALTER TYPE "description_source" ADD VALUE 'INTROSPECTION';

ALTER TABLE "sessions" ADD COLUMN "working_memory" TEXT NOT NULL DEFAULT '',
ADD COLUMN "checkpoint_seq" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "checkpoint_turns" INTEGER NOT NULL DEFAULT 0;

-- What a checkpoint learned is of no turn and no task, and perhaps of no user.
ALTER TABLE "learnings" ALTER COLUMN "turn_id" DROP NOT NULL,
ALTER COLUMN "task_id" DROP NOT NULL,
ALTER COLUMN "user_name" DROP NOT NULL;

CREATE TABLE "checkpoints" (
    "session_id" TEXT NOT NULL,
    "reason" "checkpoint_reason" NOT NULL,
    "ready_at" TIMESTAMPTZ(6) NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "run_id" TEXT,
    "leased_until" TIMESTAMPTZ(6),

    CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("session_id")
);

CREATE INDEX "checkpoints_ready_at_idx" ON "checkpoints"("ready_at");

ALTER TABLE "checkpoints" ADD CONSTRAINT "checkpoints_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "checkpoint_state" (
    "id" INTEGER NOT NULL,
    "looked_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "checkpoint_state_pkey" PRIMARY KEY ("id")
);

-- Sessions that went idle before there were checkpoints are left alone.
INSERT INTO "checkpoint_state" ("id", "looked_until") VALUES (1, now());
