-- What the systems of that trace want to be handed on, beside trace_parent.
ALTER TABLE "messages" ADD COLUMN "trace_state" VARCHAR(512);
