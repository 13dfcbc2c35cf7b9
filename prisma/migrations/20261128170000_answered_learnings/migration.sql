-- A learning waits for the answer to its question. One that joins the question at the moment at which that is resolved is seen by
-- no statement of the resolving transaction, and one of another user by no erasure: at the end of the transaction, what still waits
-- is to be judged anew, by the curator where it had asked, else by a person. It waits for no lock: what is being deleted, or decided, is left alone.
CREATE FUNCTION "free_learnings_of_question"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH waiting AS MATERIALIZED (
    SELECT l.id FROM learnings l JOIN sessions s ON s.id = l.session_id
    WHERE l.question_id = NEW.id AND l.status = 'ASKED' ORDER BY l.id
    FOR NO KEY UPDATE OF l SKIP LOCKED FOR KEY SHARE OF s SKIP LOCKED),
  freed AS (
    UPDATE learnings l SET status = 'PENDING', held = l.decided_by IS DISTINCT FROM 'curator', question_id = NULL,
      decided_by = NULL, decided_at = NULL, reason = NULL
    FROM waiting w WHERE l.id = w.id RETURNING l.session_id, l.held)
  INSERT INTO curation_jobs (session_id, ready_at) SELECT DISTINCT session_id, now() FROM freed WHERE NOT held ORDER BY session_id
    ON CONFLICT (session_id) DO UPDATE SET ready_at = excluded.ready_at, failures = 0, run_id = NULL, leased_until = NULL;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER "question_resolved" AFTER UPDATE OF "status" ON "questions" DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.status = 'OPEN' AND NEW.status = 'RESOLVED') EXECUTE FUNCTION "free_learnings_of_question"();

-- Those that wait for ever by now; without its question, as after an import, a learning waits for a person.
WITH freed AS (
  UPDATE "learnings" l SET status = 'PENDING', held = q.id IS NULL OR l.decided_by IS DISTINCT FROM 'curator', question_id = NULL,
    decided_by = NULL, decided_at = NULL, reason = NULL
  FROM "learnings" x LEFT JOIN "questions" q ON q.id = x.question_id
  WHERE x.id = l.id AND x.status = 'ASKED' AND (q.id IS NULL OR q.status = 'RESOLVED') RETURNING l.session_id, l.held)
INSERT INTO "curation_jobs" (session_id, ready_at) SELECT DISTINCT session_id, now() FROM freed WHERE NOT held
  ON CONFLICT (session_id) DO UPDATE SET ready_at = excluded.ready_at, failures = 0, run_id = NULL, leased_until = NULL;
