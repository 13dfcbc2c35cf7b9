-- Facts are found by their terms and how many facts have each (src/knowledge/rank-facts.ts). Both are kept by triggers, in the
-- transaction that changes a fact.

-- Letters without their marks: "Häuser" finds "Hauser". A "trusted" extension: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;

-- CreateTable
CREATE TABLE "fact_terms" (
    "term" TEXT NOT NULL,
    "fact_id" TEXT NOT NULL,

    CONSTRAINT "fact_terms_pkey" PRIMARY KEY ("term","fact_id")
);

-- CreateTable
CREATE TABLE "fact_term_counts" (
    "term" TEXT NOT NULL,
    "facts" INTEGER NOT NULL,

    CONSTRAINT "fact_term_counts_pkey" PRIMARY KEY ("term")
);

-- CreateTable
CREATE TABLE "fact_term_changes" (
    "id" BIGSERIAL NOT NULL,
    "term" TEXT NOT NULL,
    "facts" INTEGER NOT NULL,

    CONSTRAINT "fact_term_changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "fact_terms_fact_id_idx" ON "fact_terms"("fact_id");

-- CreateIndex
-- Of an expression, or equality would be looked up here instead of in the primary key.
CREATE INDEX "fact_term_counts_near" ON "fact_term_counts" USING GIST (("term" || '') gist_trgm_ops);

-- CreateIndex
CREATE INDEX "fact_term_changes_term_idx" ON "fact_term_changes"("term");

-- Lower case in every script, whatever the locale of the database: "C" knows the letters of ASCII alone.
DO $$ BEGIN
  EXECUTE format(
    'CREATE FUNCTION "search_fold"(content text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
     RETURN lower(normalize(content, NFKC) %s)',
    (SELECT 'COLLATE ' || quote_ident(collname) FROM pg_collation WHERE collname IN ('pg_c_utf8', 'und-x-icu')
     ORDER BY collname LIMIT 1));
END $$;

-- The dictionary with the stem words of a text's language: by the script, or by the stop words, English when in doubt.
CREATE FUNCTION "search_language"(words text[]) RETURNS regdictionary LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN line ~ '[\u0370-\u03ff]' THEN 'greek_stem'::regdictionary
    WHEN line ~ '[\u0400-\u04ff]' THEN 'russian_stem'
    WHEN line ~ '[\u0530-\u058f]' THEN 'armenian_stem'
    WHEN line ~ '[\u0590-\u05ff]' THEN 'yiddish_stem'
    WHEN line ~ '[\u0600-\u06ff]' THEN 'arabic_stem'
    WHEN line ~ '[\u0900-\u097f]' THEN 'hindi_stem'
    WHEN line ~ '[\u0b80-\u0bff]' THEN 'tamil_stem'
    -- Half of what is said in English are its stop words; other languages need not be tried then.
    WHEN (SELECT 5 * count(*) FILTER (WHERE ts_lexize('english_stem', word) = '{}') >= 2 * count(*) FROM unnest(words[:24]) AS word)
      THEN 'english_stem'::regdictionary
    ELSE (SELECT dictionary FROM (
        SELECT dictionary, min(n) AS n, count(*) FILTER (WHERE ts_lexize(dictionary, word) = '{}') AS stops
        FROM unnest(ARRAY['english_stem', 'german_stem', 'french_stem', 'spanish_stem', 'italian_stem', 'portuguese_stem',
            'dutch_stem', 'swedish_stem', 'danish_stem', 'norwegian_stem', 'finnish_stem', 'hungarian_stem',
            'turkish_stem']::regdictionary[]) WITH ORDINALITY AS known (dictionary, n), unnest(words[:24]) AS word
        GROUP BY dictionary) counted
      ORDER BY stops DESC, n LIMIT 1)
  END
  FROM array_to_string(words[:40], ' ') AS line
$$;

-- What a text is found by: for its n-th word the word itself, its stems, and for scripts without spaces each two letters that
-- follow on each other. Names and numbers with signs in them ("api-gw", "1.2.3") are also one word. Not the stop words.
CREATE FUNCTION "search_terms"(content text) RETURNS TABLE (n bigint, term text, is_whole boolean) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH folded AS MATERIALIZED (SELECT search_fold(content) AS line),
  chunks AS (
    SELECT chunk, at FROM folded, regexp_split_to_table(line, '[\s\u3000-\u303f]+') WITH ORDINALITY AS c (chunk, at)),
  pieces AS (
    SELECT piece[1] AS word, row_number() OVER (ORDER BY at, part) AS n
    FROM chunks, regexp_matches(chunk,
      '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+|[^\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2000-\u206f\u2190-\u2bff\u3000-\u30ff\u3400-\u9fff\ufe00-\ufe6f\U0001f000-\U0001faff]+',
      'g') WITH ORDINALITY AS p (piece, part)),
  language AS MATERIALIZED (SELECT search_language(array_agg(word ORDER BY pieces.n)) AS dictionary FROM pieces),
  said AS (
    SELECT pieces.n, left(word, 60) AS word, dictionary FROM pieces, language
    WHERE ts_lexize(dictionary, word) IS DISTINCT FROM '{}' AND ts_lexize('english_stem', word) IS DISTINCT FROM '{}')
  SELECT DISTINCT found.n, found.term, found.is_whole FROM (
    SELECT said.n, unaccent(word) AS term, true AS is_whole FROM said WHERE word !~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]'
    UNION ALL
    SELECT said.n, unaccent(stem), false FROM said, unnest(ts_lexize(dictionary, word) || ts_lexize('english_stem', word)) AS stem
      WHERE word !~ '[0-9\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]' AND unaccent(stem) <> unaccent(word)
    UNION ALL
    SELECT said.n * 1000 + i, substr(word, i, 2), true FROM said, generate_series(1, greatest(length(word) - 1, 1)) AS i
      WHERE word ~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]'
    UNION ALL
    SELECT -at, unaccent(left(name, 60)), true FROM chunks, regexp_replace(chunk, '^[^a-z0-9\u00c0-\uffff/]+|[^a-z0-9\u00c0-\uffff]+$', '', 'g') AS name
      WHERE name ~ '[a-z0-9][^a-z0-9\u00c0-\uffff]+[a-z0-9]'
  ) found WHERE length(found.term) > 1 OR found.term ~ '[0-9\u3400-\u9fff]'
$$;

-- The terms of live facts, and of no others; each fact has the empty one too, so that its count is how many facts there are.
-- Counts change by rows of their own: adding to a frequent term's count would make all who write facts wait for each other. They
-- are added up some hundreds at a time, by one transaction at a time; the others leave it to that one.
CREATE FUNCTION "keep_fact_terms"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    WITH gone AS (DELETE FROM fact_terms t USING removed f WHERE t.fact_id = f.id RETURNING term)
    INSERT INTO fact_term_changes (term, facts) SELECT term, -count(*) FROM gone GROUP BY term;
  ELSIF TG_OP = 'UPDATE' THEN
    WITH gone AS (
      DELETE FROM fact_terms t USING removed f, added a
      WHERE t.fact_id = f.id AND a.id = f.id AND (a.content, a.invalidated_at) IS DISTINCT FROM (f.content, f.invalidated_at)
      RETURNING term)
    INSERT INTO fact_term_changes (term, facts) SELECT term, -count(*) FROM gone GROUP BY term;
    WITH came AS (
      INSERT INTO fact_terms (term, fact_id)
        SELECT DISTINCT s.term, a.id FROM added a JOIN removed f ON f.id = a.id
          CROSS JOIN LATERAL (SELECT '' AS term UNION ALL SELECT term FROM search_terms(a.content)) s
        WHERE a.invalidated_at IS NULL AND (a.content, a.invalidated_at) IS DISTINCT FROM (f.content, f.invalidated_at)
      RETURNING term)
    INSERT INTO fact_term_changes (term, facts) SELECT term, count(*) FROM came GROUP BY term;
  ELSE
    WITH came AS (
      INSERT INTO fact_terms (term, fact_id)
        SELECT DISTINCT s.term, a.id FROM added a
          CROSS JOIN LATERAL (SELECT '' AS term UNION ALL SELECT term FROM search_terms(a.content)) s
        WHERE a.invalidated_at IS NULL
      RETURNING term)
    INSERT INTO fact_term_changes (term, facts) SELECT term, count(*) FROM came GROUP BY term;
  END IF;
  IF (SELECT count(*) FROM (SELECT 1 FROM fact_term_changes LIMIT 500) few) = 500
    AND pg_try_advisory_xact_lock(hashtextextended('fact_term_changes', 0)) THEN
    WITH gone AS (DELETE FROM fact_term_changes RETURNING term, facts)
    INSERT INTO fact_term_counts AS counted (term, facts) SELECT term, sum(facts) FROM gone GROUP BY term
    ON CONFLICT (term) DO UPDATE SET facts = counted.facts + excluded.facts;
  END IF;
  RETURN NULL;
END $$;

-- The facts that are there already.
INSERT INTO "fact_terms" ("term", "fact_id")
  SELECT '', id FROM facts WHERE invalidated_at IS NULL
  UNION SELECT term, id FROM facts, search_terms(content) WHERE invalidated_at IS NULL;
INSERT INTO "fact_term_counts" ("term", "facts") SELECT term, count(*) FROM fact_terms GROUP BY term;

CREATE TRIGGER "facts_terms_added" AFTER INSERT ON "facts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_fact_terms"();
CREATE TRIGGER "facts_terms_changed" AFTER UPDATE ON "facts" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_fact_terms"();
CREATE TRIGGER "facts_terms_removed" AFTER DELETE ON "facts" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "keep_fact_terms"();
