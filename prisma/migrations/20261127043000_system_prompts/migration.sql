-- The same few system prompts were written out for each model call. What is there stays as it is: which of it is of prompt files
-- alone cannot be told any more, and it goes after prompt_retention_days.
CREATE TABLE "system_prompts" (
    "sha256" BYTEA NOT NULL,
    "text" TEXT NOT NULL,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "system_prompts_pkey" PRIMARY KEY ("sha256")
);

ALTER TABLE "model_call_texts" ADD COLUMN "system_sha256" BYTEA,
ALTER COLUMN "system" DROP NOT NULL,
ADD CONSTRAINT "model_call_texts_system_check" CHECK (num_nonnulls("system", "system_sha256") = 1);
