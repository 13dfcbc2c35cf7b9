-- The inbox is searched by parts of normal texts, as facts are.
CREATE INDEX "learnings_norm" ON "learnings" USING GIN ("norm" gin_trgm_ops);
