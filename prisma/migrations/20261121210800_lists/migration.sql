-- What lists of sessions are read by when many sessions are there and few are wanted.

CREATE TABLE "session_descriptions" (
    "session_id" TEXT NOT NULL,
    "description" TEXT NOT NULL,

    CONSTRAINT "session_descriptions_pkey" PRIMARY KEY ("session_id")
);

CREATE INDEX "session_descriptions_text" ON "session_descriptions" USING GIN ("description" gin_trgm_ops);

ALTER TABLE "session_descriptions" ADD CONSTRAINT "session_descriptions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The description apart from the session's row: every message writes the row anew, and with it all its indexes; the
-- description hardly ever changes.
CREATE FUNCTION "keep_session_description"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.description IS NULL THEN
    DELETE FROM session_descriptions WHERE session_id = NEW.id;
  ELSE
    INSERT INTO session_descriptions (session_id, description) VALUES (NEW.id, lower(NEW.description))
    ON CONFLICT (session_id) DO UPDATE SET description = EXCLUDED.description;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "session_described" AFTER INSERT ON "sessions"
  FOR EACH ROW WHEN (NEW.description IS NOT NULL) EXECUTE FUNCTION "keep_session_description"();
CREATE TRIGGER "session_described_anew" AFTER UPDATE OF "description" ON "sessions"
  FOR EACH ROW WHEN (NEW.description IS DISTINCT FROM OLD.description) EXECUTE FUNCTION "keep_session_description"();

INSERT INTO "session_descriptions" ("session_id", "description")
SELECT "id", lower("description") FROM "sessions" WHERE "description" IS NOT NULL;

CREATE INDEX "sessions_not_idle" ON "sessions"("status", "last_activity_at" DESC, "id" DESC) WHERE (status <> 'IDLE'::session_status);
CREATE INDEX "sessions_groups" ON "sessions"("last_activity_at" DESC, "id" DESC) WHERE (source_type = 'GROUP'::conversation_type);
CREATE INDEX "sessions_source_kind" ON "sessions"("source_kind", "last_activity_at" DESC, "id" DESC);
