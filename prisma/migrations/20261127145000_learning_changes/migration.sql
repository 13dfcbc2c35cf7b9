-- The change that decided about a learning, whatever it decided; null from before this was kept.
ALTER TABLE "learnings" ADD COLUMN "change_id" TEXT;
