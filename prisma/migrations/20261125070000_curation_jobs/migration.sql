-- Sessions with learnings that wait for the curator and for no turn: one job each.
CREATE TABLE "curation_jobs" (
    "session_id" TEXT NOT NULL,
    "ready_at" TIMESTAMPTZ(6) NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "run_id" TEXT,
    "leased_until" TIMESTAMPTZ(6),

    CONSTRAINT "curation_jobs_pkey" PRIMARY KEY ("session_id")
);

CREATE INDEX "curation_jobs_ready_at_idx" ON "curation_jobs"("ready_at");

ALTER TABLE "curation_jobs" ADD CONSTRAINT "curation_jobs_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What checkpoints have learned so far waited for a turn that mostly never came.
INSERT INTO "curation_jobs" (session_id, ready_at)
  SELECT DISTINCT session_id, now() FROM "learnings" WHERE status = 'PENDING' AND NOT held AND source = 'CHECKPOINT';
