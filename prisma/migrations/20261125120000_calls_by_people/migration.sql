-- The tool that a message calls, with its arguments, where no model is to answer it.
ALTER TABLE "messages" ADD COLUMN "call" JSONB;
