-- Learnings are found by their terms, as facts are (src/knowledge/learnings/alike-learnings.ts): whole words and stems, not the
-- first six letters. What was erased has none.

-- CreateTable
CREATE TABLE "learning_terms" (
    "term" TEXT NOT NULL,
    "learning_id" TEXT NOT NULL,

    CONSTRAINT "learning_terms_pkey" PRIMARY KEY ("term","learning_id")
);

INSERT INTO "learning_terms" ("term", "learning_id")
  SELECT DISTINCT s.term, l.id FROM learnings l CROSS JOIN LATERAL search_terms(l.content) s WHERE l.norm <> '';

-- CreateIndex
CREATE INDEX "learning_terms_learning_id_idx" ON "learning_terms"("learning_id");

-- AddForeignKey
ALTER TABLE "learning_terms" ADD CONSTRAINT "learning_terms_learning_id_fkey" FOREIGN KEY ("learning_id") REFERENCES "learnings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE FUNCTION "keep_learning_terms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM learning_terms WHERE learning_id = NEW.id;
  END IF;
  INSERT INTO learning_terms (term, learning_id)
    SELECT DISTINCT term, NEW.id FROM search_terms(NEW.content) WHERE NEW.norm <> '';
  RETURN NULL;
END $$;

CREATE TRIGGER "learnings_terms" AFTER INSERT OR UPDATE OF "content" ON "learnings"
  FOR EACH ROW EXECUTE FUNCTION "keep_learning_terms"();

DROP TRIGGER "learnings_words" ON "learnings";
DROP FUNCTION "keep_learning_words"();
DROP TABLE "learning_words";
DROP FUNCTION "word_keys"(text);
DROP FUNCTION "word_key"(text);
