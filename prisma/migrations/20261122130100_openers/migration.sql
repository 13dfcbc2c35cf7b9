-- Who opened a session: "@<user>", or the name of a connector's token. What is the opener's (core/session-rights.ts) hangs on it.
-- NULL: opened before this was recorded; then only the token that is named in "connector" counts as its opener.
ALTER TABLE "sessions" ADD COLUMN "opened_by" TEXT;
