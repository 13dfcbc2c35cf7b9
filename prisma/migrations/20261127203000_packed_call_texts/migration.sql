-- What was said in model calls was a quarter of a turn's rows, and PostgreSQL compresses no row of less than 2 kB. New rows have
-- prompt and answer packed (src/store/turn/packed-texts.ts); those that are there stay as they are. Not validated: the table may
-- be large, and all of its rows have a prompt.
ALTER TABLE "model_call_texts" ADD COLUMN "packed" BYTEA,
ALTER COLUMN "prompt" DROP NOT NULL,
ADD CONSTRAINT "model_call_texts_packed_check" CHECK (num_nonnulls("prompt", "packed") = 1) NOT VALID;
