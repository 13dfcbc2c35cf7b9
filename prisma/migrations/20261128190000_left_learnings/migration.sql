-- What turns have learned and not judged at their end waited for the session's next turn. From now on a job is made with it.
INSERT INTO "curation_jobs" (session_id, ready_at)
  SELECT DISTINCT session_id, now() FROM "learnings" WHERE status = 'PENDING' AND NOT held
  ON CONFLICT (session_id) DO NOTHING;
