-- What was said in model calls, kept for prompt_retention_days. Each row goes with its session.
CREATE TABLE "model_call_texts" (
    "id" TEXT NOT NULL,
    "session_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "system" TEXT NOT NULL,
    "prompt" TEXT NOT NULL,
    "answer" TEXT,

    CONSTRAINT "model_call_texts_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "model_call_texts_session_id_idx" ON "model_call_texts"("session_id");

CREATE INDEX "model_call_texts_at_idx" ON "model_call_texts"("at");

ALTER TABLE "model_call_texts" ADD CONSTRAINT "model_call_texts_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
