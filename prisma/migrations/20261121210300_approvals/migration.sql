-- Approvals: whether a task, or a whole plan, may run. A turn that waits for them holds no worker.

ALTER TYPE "session_status" ADD VALUE 'AWAITING_APPROVAL';
ALTER TYPE "turn_status" ADD VALUE 'AWAITING_APPROVAL';
ALTER TYPE "task_status" ADD VALUE 'AWAITING_APPROVAL';
ALTER TYPE "audit_kind" ADD VALUE 'APPROVAL';

CREATE TYPE "approval_kind" AS ENUM ('TASK', 'PLAN');
CREATE TYPE "approval_status" AS ENUM ('PENDING', 'APPROVED', 'DENIED', 'EXPIRED', 'CANCELLED');
CREATE TYPE "approval_scope" AS ENUM ('ONCE', 'SESSION');

ALTER TABLE "sessions" ADD COLUMN "open_approvals" INTEGER NOT NULL DEFAULT 0;

CREATE TABLE "approvals" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "turn_id" TEXT NOT NULL,
    "task_id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "kind" "approval_kind" NOT NULL,
    "status" "approval_status" NOT NULL DEFAULT 'PENDING',
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_by" TEXT,
    "decided_at" TIMESTAMPTZ(3),
    "note" TEXT,
    "scope" "approval_scope",
    "remembered" JSONB,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "approvals_task_id_key" ON "approvals"("task_id");
CREATE INDEX "approvals_session_id_id_idx" ON "approvals"("session_id", "id");
CREATE INDEX "approvals_status_id_idx" ON "approvals"("status", "id");
CREATE INDEX "approvals_turn_id_idx" ON "approvals"("turn_id");
CREATE INDEX "approvals_pending" ON "approvals"("expires_at") WHERE (status = 'PENDING'::approval_status);
CREATE INDEX "approvals_remembered" ON "approvals"("session_id", "user_name") WHERE (remembered IS NOT NULL);

ALTER TABLE "approvals" ADD CONSTRAINT "approvals_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_turn_id_fkey" FOREIGN KEY ("turn_id") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_task_id_fkey" FOREIGN KEY ("task_id") REFERENCES "tasks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
