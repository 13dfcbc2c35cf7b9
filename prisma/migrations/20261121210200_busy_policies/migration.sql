-- Messages that arrive while a turn runs: what becomes of them is the session's policy, and a turn may take the messages of others
-- of its user along (`joined_into`). `joined_attempt`: 0 when it joined before the first plan, else the plan that it broke off.

CREATE TYPE "busy_policy" AS ENUM ('QUEUE', 'COLLECT', 'STEER', 'INTERRUPT');
ALTER TYPE "turn_status" ADD VALUE 'JOINED';

ALTER TABLE "sessions" ADD COLUMN "busy_policy" "busy_policy" NOT NULL DEFAULT 'QUEUE';
ALTER TABLE "turns" ADD COLUMN "joined_into" TEXT, ADD COLUMN "joined_attempt" INTEGER;
CREATE INDEX "turns_joined" ON "turns"("joined_into") WHERE (joined_into IS NOT NULL);
ALTER TABLE "turns" ADD CONSTRAINT "turns_joined_into_fkey" FOREIGN KEY ("joined_into") REFERENCES "turns"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Asks the session's running turn to end, if it is the user's own or `of_anybody`, and returns its id. Called by the statement that
-- accepts a message, under the lock of the session's row. A function, because each of its statements sees what was committed before
-- that lock was had: a turn that began while the message waited for the lock is running for it.
CREATE FUNCTION interrupt_turn(in_session text, by_user text, of_anybody boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  running record;
BEGIN
  UPDATE turns SET cancel_requested = true
    WHERE session_id = in_session AND status IN ('RUNNING', 'AWAITING_APPROVAL') AND NOT cancel_requested
      AND (of_anybody OR user_name = by_user)
    RETURNING id, paused_at IS NOT NULL AS waits INTO running;
  IF running.waits THEN
    UPDATE sessions SET ready_at = now() WHERE id = in_session AND owner IS NULL;
  END IF;
  RETURN running.id;
END $$;
