-- Plugins take part in turns.
ALTER TYPE "pipeline_step" ADD VALUE 'COMMANDS';
ALTER TABLE "turns" ADD COLUMN "plugin_work" JSONB, ADD COLUMN "hooks_due" TEXT[] NOT NULL DEFAULT '{}';
CREATE INDEX "turns_hooks_due" ON "turns" ("finished_at") WHERE hooks_due <> '{}'::text[];
ALTER TABLE "plugins" ADD COLUMN "events_left_out" BIGINT NOT NULL DEFAULT 0;
