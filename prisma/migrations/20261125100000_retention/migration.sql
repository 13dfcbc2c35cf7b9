-- Up to which event things were removed from a session's log for their age: who comes from before it is told.
ALTER TABLE "sessions" ADD COLUMN "removed_seq" INTEGER NOT NULL DEFAULT 0;
