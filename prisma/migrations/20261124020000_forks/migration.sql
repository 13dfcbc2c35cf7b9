-- Of a session that began as a copy of another: which one, and up to which of its events. That one may be deleted.
ALTER TABLE "sessions" ADD COLUMN "forked_from" TEXT, ADD COLUMN "forked_seq" INTEGER;
