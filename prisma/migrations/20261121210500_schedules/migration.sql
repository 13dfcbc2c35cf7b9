-- Schedules: messages that are sent by the clock, and the runs that they came to.

CREATE TYPE "schedule_mode" AS ENUM ('DEDICATED', 'FRESH');
CREATE TYPE "schedule_run_status" AS ENUM ('RUNNING', 'DONE', 'FAILED', 'SKIPPED');

CREATE TABLE "schedules" (
    "id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "token_name" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "cron" TEXT,
    "run_at" TIMESTAMPTZ(3),
    "time_zone" TEXT NOT NULL,
    "mode" "schedule_mode" NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "paused_reason" TEXT,
    "next_run_at" TIMESTAMPTZ(3),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "schedules_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "schedules_user_name_id_idx" ON "schedules"("user_name", "id");
CREATE INDEX "schedules_due" ON "schedules"("next_run_at") WHERE (next_run_at IS NOT NULL);

CREATE TABLE "schedule_runs" (
    "id" TEXT NOT NULL,
    "schedule_id" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "manual" BOOLEAN NOT NULL,
    "status" "schedule_run_status" NOT NULL,
    "session_id" TEXT,
    "message_id" TEXT,
    "sent" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "failure" TEXT,

    CONSTRAINT "schedule_runs_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "schedule_runs_schedule_id_id_idx" ON "schedule_runs"("schedule_id", "id");
CREATE UNIQUE INDEX "schedule_runs_open" ON "schedule_runs"("schedule_id") WHERE (status = 'RUNNING'::schedule_run_status);

ALTER TABLE "schedule_runs" ADD CONSTRAINT "schedule_runs_schedule_id_fkey" FOREIGN KEY ("schedule_id") REFERENCES "schedules"("id") ON DELETE CASCADE ON UPDATE CASCADE;
