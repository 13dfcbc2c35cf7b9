-- Quotas per opener and per user. What is used is counted from rows, never kept as a sum that could be wrong: what is deleted is free.

-- One row per session that somebody here opened (not of imported ones), apart from the session's own row, which every message writes
-- anew. `workspace_bytes`: what the sandbox's workspace of the session had when it was measured last; NULL: never.
CREATE TABLE "opened_sessions" (
    "session_id" TEXT NOT NULL,
    "opener" TEXT NOT NULL,
    "workspace_bytes" BIGINT,

    CONSTRAINT "opened_sessions_pkey" PRIMARY KEY ("session_id")
);

CREATE INDEX "opened_sessions_opener_idx" ON "opened_sessions"("opener");

ALTER TABLE "opened_sessions" ADD CONSTRAINT "opened_sessions_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION "keep_opened_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO opened_sessions (session_id, opener) VALUES (NEW.id, coalesce(NEW.opened_by, NEW.connector));
  RETURN NULL;
END $$;

-- After the row is there: a message to a session that exists, which is an INSERT as well, comes to nothing here.
CREATE TRIGGER "session_opened" AFTER INSERT ON "sessions"
  FOR EACH ROW WHEN (coalesce(NEW.opened_by, NEW.connector, ':import') <> ':import') EXECUTE FUNCTION "keep_opened_session"();

INSERT INTO "opened_sessions" ("session_id", "opener")
SELECT "id", coalesce("opened_by", "connector") FROM "sessions" WHERE coalesce("opened_by", "connector", ':import') <> ':import';

-- Whether `of_opener`, who may have `quota` sessions, may open `wanted`; true as well when it is there by now. Holds a lock per
-- opener until the transaction ends, so two of them cannot take the last place. A function, because each of its statements sees what
-- was committed before the lock was had. Far below the quota there is no lock: as many statements as would exceed it are not under
-- way at once.
CREATE FUNCTION "may_open_session"(of_opener text, wanted text, quota integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM (SELECT 1 FROM opened_sessions WHERE opener = of_opener LIMIT quota) AS opened) + 1000 < quota THEN
    RETURN true;
  END IF;
  PERFORM pg_advisory_xact_lock(1970496883, hashtext(of_opener));
  IF EXISTS (SELECT 1 FROM sessions WHERE id = wanted) THEN
    RETURN true;
  END IF;
  RETURN (SELECT count(*) FROM opened_sessions WHERE opener = of_opener) < quota;
END $$;

-- Whose turn has published a file.
ALTER TABLE "published_files" ADD COLUMN "user_name" TEXT;
UPDATE "published_files" f SET "user_name" = t."user_name"
FROM "tasks" k JOIN "turns" t ON t."id" = k."turn_id" WHERE k."id" = f."task_id";
CREATE INDEX "published_files_user_name_idx" ON "published_files"("user_name");

-- Files that are about to be recorded with the end of their task, and count until then. One that is not recorded within ten minutes
-- is not coming any more.
CREATE TABLE "publishing_files" (
    "id" TEXT NOT NULL,
    "user_name" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),

    CONSTRAINT "publishing_files_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "publishing_files_user_name_idx" ON "publishing_files"("user_name");

-- Of the files `ids` with these `sizes`, in this order, those that `of_user` may publish within `quota` bytes, and how many bytes are
-- used with them. Under a lock per user.
CREATE FUNCTION "take_published_bytes"(of_user text, quota bigint, ids text[], sizes bigint[], OUT taken text[], OUT used bigint)
LANGUAGE plpgsql AS $$
BEGIN
  taken := '{}';
  PERFORM pg_advisory_xact_lock(1970496884, hashtext(of_user));
  DELETE FROM publishing_files p WHERE p.user_name = of_user
    AND (p.at < now() - interval '10 minutes' OR p.id = ANY (ids) OR EXISTS (SELECT 1 FROM published_files f WHERE f.id = p.id));
  SELECT (SELECT coalesce(sum(size), 0) FROM published_files WHERE user_name = of_user AND (expires_at IS NULL OR expires_at > now()))
    + (SELECT coalesce(sum(size), 0) FROM publishing_files WHERE user_name = of_user) INTO used;
  FOR n IN 1 .. coalesce(array_length(ids, 1), 0) LOOP
    IF used + sizes[n] <= quota THEN
      used := used + sizes[n];
      taken := taken || ids[n];
      INSERT INTO publishing_files (id, user_name, size) VALUES (ids[n], of_user, sizes[n]) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
END $$;
