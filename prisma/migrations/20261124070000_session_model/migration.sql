-- A session's own model and instructions.
ALTER TABLE "sessions" ADD COLUMN "model" TEXT, ADD COLUMN "instructions" TEXT, ADD COLUMN "instructions_by" TEXT;
