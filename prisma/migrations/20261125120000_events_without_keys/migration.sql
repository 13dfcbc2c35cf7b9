-- A turn wrote some twenty rows of these two tables, and each was looked up in the session's row, which the same statement had
-- just locked. The rows go with their session by a trigger instead.
CREATE FUNCTION "remove_rows_of_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM events WHERE session_id = OLD.id;
  DELETE FROM model_call_texts WHERE session_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER "session_removed" AFTER DELETE ON "sessions" FOR EACH ROW EXECUTE FUNCTION "remove_rows_of_session"();

ALTER TABLE "events" DROP CONSTRAINT "events_session_id_fkey";
ALTER TABLE "model_call_texts" DROP CONSTRAINT "model_call_texts_session_id_fkey";
