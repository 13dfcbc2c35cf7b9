-- When a session is next looked at for what [retention] lets go, and under which rules that was found out: the hourly
-- job reads those that are due by the index, instead of all.
ALTER TABLE "sessions" ADD COLUMN "retention_rules" TEXT NOT NULL DEFAULT '', ADD COLUMN "retention_due_at" TIMESTAMPTZ(3);
CREATE INDEX "sessions_retention" ON "sessions" ("retention_rules", "retention_due_at");
