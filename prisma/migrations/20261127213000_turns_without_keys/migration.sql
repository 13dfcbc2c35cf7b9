-- A turn looked its session up five times, and its tasks looked it up again, whose rows the same statement had just locked or
-- written. Turns go with their messages, plans with their turns, tasks with their plans; the trigger removes what would be left.
CREATE OR REPLACE FUNCTION "remove_rows_of_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM events WHERE session_id = OLD.id;
  DELETE FROM model_call_texts WHERE session_id = OLD.id;
  DELETE FROM tasks WHERE session_id = OLD.id;
  DELETE FROM plans WHERE session_id = OLD.id;
  DELETE FROM turns WHERE session_id = OLD.id;
  RETURN NULL;
END $$;

ALTER TABLE "tasks" DROP CONSTRAINT "tasks_session_id_fkey", DROP CONSTRAINT "tasks_turn_id_fkey";
ALTER TABLE "plans" DROP CONSTRAINT "plans_session_id_fkey";
ALTER TABLE "turns" DROP CONSTRAINT "turns_session_id_fkey";
