-- Facts are found by their terms (fact_terms): nothing reads their shortened words any more, which every fact paid for.
DROP TRIGGER "facts_words" ON "facts";
DROP FUNCTION "keep_fact_words"();
DROP TABLE "fact_words";
