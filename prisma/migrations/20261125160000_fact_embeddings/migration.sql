-- What facts in use mean, as vectors of a provider's model, where [models] embedder names one (src/knowledge/embeddings). Facts
-- are searched by the sketches, which lie in the table itself: a vector is as large as a page, and read of the nearest alone.
CREATE TABLE "fact_embeddings" (
    "fact_id" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "sketch" BIT(1024) NOT NULL,
    "vector" BYTEA NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),

    CONSTRAINT "fact_embeddings_pkey" PRIMARY KEY ("fact_id","model")
);

ALTER TABLE "fact_embeddings" ALTER COLUMN "vector" SET STORAGE EXTERNAL;

CREATE INDEX "fact_embeddings_model_scope_idx" ON "fact_embeddings"("model", "scope");

ALTER TABLE "fact_embeddings" ADD CONSTRAINT "fact_embeddings_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One row while an embedder is set: facts that change are due then.
CREATE TABLE "embedding_state" (
    "id" INTEGER NOT NULL,

    CONSTRAINT "embedding_state_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "embedding_jobs" (
    "fact_id" TEXT NOT NULL,
    "ready_at" TIMESTAMPTZ(6) NOT NULL DEFAULT now(),
    "run_id" TEXT,
    "leased_until" TIMESTAMPTZ(6),

    CONSTRAINT "embedding_jobs_pkey" PRIMARY KEY ("fact_id")
);

CREATE INDEX "embedding_jobs_ready_at_idx" ON "embedding_jobs"("ready_at");

ALTER TABLE "embedding_jobs" ADD CONSTRAINT "embedding_jobs_fact_id_fkey" FOREIGN KEY ("fact_id") REFERENCES "facts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- No vector outlives the text that it is of, nor the fact's use; it goes where its fact goes.
CREATE FUNCTION "keep_fact_embeddings"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM fact_embeddings e USING removed f, added a
      WHERE e.fact_id = f.id AND a.id = f.id AND (a.content <> f.content OR a.invalidated_at IS NOT NULL);
    UPDATE fact_embeddings e SET scope = a.scope || ' ' || a.scope_of FROM removed f, added a
      WHERE e.fact_id = f.id AND a.id = f.id AND (a.scope, a.scope_of) IS DISTINCT FROM (f.scope, f.scope_of);
    INSERT INTO embedding_jobs (fact_id) SELECT a.id FROM added a JOIN removed f ON f.id = a.id
      WHERE a.invalidated_at IS NULL AND (a.content <> f.content OR f.invalidated_at IS NOT NULL)
        AND EXISTS (SELECT FROM embedding_state)
      ON CONFLICT (fact_id) DO UPDATE SET ready_at = excluded.ready_at, run_id = NULL, leased_until = NULL;
  ELSE
    INSERT INTO embedding_jobs (fact_id) SELECT a.id FROM added a
      WHERE a.invalidated_at IS NULL AND EXISTS (SELECT FROM embedding_state) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "facts_embeddings_added" AFTER INSERT ON "facts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_fact_embeddings"();
CREATE TRIGGER "facts_embeddings_changed" AFTER UPDATE ON "facts" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_fact_embeddings"();
