-- A share of the running turns per user. `turn_user`, of a session that a node owns: whose share its turn takes up. Of a session that
-- is ready: whose turn is next, once that is known; until then it is NULL, and the session stands in `sessions_ready`.

ALTER TABLE "sessions" ADD COLUMN "turn_user" TEXT;

CREATE INDEX "sessions_running" ON "sessions"("turn_user") WHERE (owner IS NOT NULL);
CREATE INDEX "sessions_waiting" ON "sessions"("turn_user", "ready_at") WHERE (ready_at IS NOT NULL AND owner IS NULL AND turn_user IS NOT NULL);
DROP INDEX "sessions_ready";
CREATE INDEX "sessions_ready" ON "sessions"("ready_at") WHERE (ready_at IS NOT NULL AND owner IS NULL AND turn_user IS NULL);

-- How many more turns of `of_user` may run, of `share`; 0 as well when another statement is beginning one of theirs, unless this
-- `waits` for it. Holds a lock per user until the transaction ends, so two of them cannot take the same place. A function, because
-- each of its statements sees what was committed before the lock was had. Far below the share there is no lock: as many statements
-- as would exceed it are not under way at once.
CREATE FUNCTION free_turns(of_user text, share integer, waits boolean) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  free integer;
BEGIN
  SELECT share - count(*) INTO free FROM sessions WHERE turn_user = of_user AND owner IS NOT NULL;
  IF free <= 0 OR free > 200 THEN
    RETURN greatest(free, 0);
  END IF;
  IF waits THEN
    PERFORM pg_advisory_xact_lock(1970496882, hashtext(of_user));
  ELSIF NOT pg_try_advisory_xact_lock(1970496882, hashtext(of_user)) THEN
    RETURN 0;
  END IF;
  SELECT share - count(*) INTO free FROM sessions WHERE turn_user = of_user AND owner IS NOT NULL;
  RETURN greatest(free, 0);
END $$;
