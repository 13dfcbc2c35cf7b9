-- The short texts of a session's metadata, by which lists are filtered: a connector finds its chat's session. Apart from
-- the session's row for the same reason as its description.
CREATE TABLE "session_labels" (
    "session_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "session_labels_pkey" PRIMARY KEY ("session_id", "key")
);

CREATE INDEX "session_labels_key_value_session_id_idx" ON "session_labels"("key", "value", "session_id");

ALTER TABLE "session_labels" ADD CONSTRAINT "session_labels_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION "keep_session_labels"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM session_labels WHERE session_id = NEW.id;
  END IF;
  INSERT INTO session_labels (session_id, key, value)
  SELECT NEW.id, m.key, m.value #>> '{}' FROM jsonb_each(NEW.metadata) m
  WHERE jsonb_typeof(m.value) = 'string' AND length(m.key) <= 255 AND length(m.value #>> '{}') <= 255;
  RETURN NULL;
END $$;

CREATE TRIGGER "session_labelled" AFTER INSERT ON "sessions"
  FOR EACH ROW WHEN (NEW.metadata <> '{}'::jsonb) EXECUTE FUNCTION "keep_session_labels"();
CREATE TRIGGER "session_labelled_anew" AFTER UPDATE OF "metadata" ON "sessions"
  FOR EACH ROW WHEN (NEW.metadata IS DISTINCT FROM OLD.metadata) EXECUTE FUNCTION "keep_session_labels"();

INSERT INTO "session_labels" ("session_id", "key", "value")
SELECT s.id, m.key, m.value #>> '{}' FROM "sessions" s, jsonb_each(s.metadata) m
WHERE jsonb_typeof(m.value) = 'string' AND length(m.key) <= 255 AND length(m.value #>> '{}') <= 255;
