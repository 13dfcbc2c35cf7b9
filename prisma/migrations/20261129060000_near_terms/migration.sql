-- With 100 000 terms that are words a search of the GiST index read most of it, 14 ms for each word of a message that no fact has;
-- this one takes 1.4 ms. Written at once, not collected: what is collected is read whole by each search.
DROP INDEX "fact_term_counts_near";

-- CreateIndex
-- Of an expression, or equality would be looked up here instead of in the primary key.
CREATE INDEX "fact_term_counts_near" ON "fact_term_counts" USING GIN (("term" || '') gin_trgm_ops) WITH (fastupdate = off);
