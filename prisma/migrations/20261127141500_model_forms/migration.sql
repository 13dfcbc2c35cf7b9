-- In what form a model takes requests was known to each process for itself, and each found it out by refusals of its own.
CREATE TABLE "model_forms" (
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "settings_sha256" BYTEA NOT NULL,
    "form" JSONB NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_forms_pkey" PRIMARY KEY ("provider","model")
);
