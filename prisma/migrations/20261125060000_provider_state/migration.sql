-- What the provider of a session's model keeps of its conversation. A cache: erased with what it was made of.
ALTER TABLE "sessions" ADD COLUMN "provider_state" JSONB;
