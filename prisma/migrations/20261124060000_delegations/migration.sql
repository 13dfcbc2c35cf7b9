-- Tasks that turns have given to sessions of their own.
CREATE TYPE "delegation_status" AS ENUM ('PENDING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED');

CREATE TABLE "delegations" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "child_id" TEXT,
    "user_name" TEXT NOT NULL,
    "token_name" TEXT NOT NULL DEFAULT '',
    "depth" INTEGER NOT NULL,
    "share" DOUBLE PRECISION NOT NULL,
    "tools" TEXT[],
    "strangers" BOOLEAN NOT NULL,
    "mode" "session_mode" NOT NULL,
    "task" TEXT NOT NULL,
    "expect" TEXT NOT NULL,
    "status" "delegation_status" NOT NULL DEFAULT 'PENDING',
    "round" INTEGER NOT NULL DEFAULT 1,
    "message_id" TEXT NOT NULL DEFAULT '',
    "feedback" TEXT,
    "answer" TEXT,
    "answered" BOOLEAN NOT NULL DEFAULT false,
    "failure" TEXT,
    "closed" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "delegations_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "delegations_task_id_key" ON "delegations"("task_id");

CREATE UNIQUE INDEX "delegations_child_id_key" ON "delegations"("child_id");

CREATE INDEX "delegations_session_id_id_idx" ON "delegations"("session_id", "id");

CREATE INDEX "delegations_status_id_idx" ON "delegations"("status", "id");

CREATE INDEX "delegations_turn_id_idx" ON "delegations"("turn_id");

CREATE INDEX "delegations_user_name_started_at_idx" ON "delegations"("user_name", "started_at");

CREATE INDEX "delegations_open" ON "delegations"("id") WHERE (NOT closed);

ALTER TABLE "delegations" ADD CONSTRAINT "delegations_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "delegations" ADD CONSTRAINT "delegations_child_id_fkey" FOREIGN KEY ("child_id") REFERENCES "sessions"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "delegations" ADD CONSTRAINT "delegations_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "delegations" ADD CONSTRAINT "delegations_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
