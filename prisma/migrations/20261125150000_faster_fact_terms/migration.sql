-- Terms that look like a word: with 13 000 terms an inverted index finds them in under a millisecond, the tree in ten.
DROP INDEX "fact_term_counts_near";
CREATE INDEX "fact_term_counts_near" ON "fact_term_counts" USING GIN (("term" || '') gin_trgm_ops);

-- All terms of a candidate are read from the index alone.
DROP INDEX "fact_terms_fact_id_idx";
CREATE INDEX "fact_terms_fact_id_term_idx" ON "fact_terms"("fact_id", "term");
