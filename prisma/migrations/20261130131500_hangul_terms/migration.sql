-- Korean words end with particles, which PostgreSQL has no dictionary for: "주차장이" did not find "주차장은". They are found by each two
-- letters that follow on each other, as words of scripts without spaces are. Nothing else of the function is new.
CREATE OR REPLACE FUNCTION "search_terms"(content text) RETURNS TABLE (n bigint, term text, is_whole boolean) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  WITH folded AS MATERIALIZED (SELECT search_fold(content) AS line),
  chunks AS (
    SELECT chunk, at FROM folded, regexp_split_to_table(line, '[\s\u3000-\u303f]+') WITH ORDINALITY AS c (chunk, at)),
  pieces AS (
    SELECT piece[1] AS word, row_number() OVER (ORDER BY at, part) AS n
    FROM chunks, regexp_matches(chunk,
      '[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+|[^\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u00d7\u00f7\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2000-\u206f\u2190-\u2bff\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\ufe00-\ufe6f\U0001f000-\U0001faff]+',
      'g') WITH ORDINALITY AS p (piece, part)),
  language AS MATERIALIZED (SELECT search_language(array_agg(word ORDER BY pieces.n)) AS dictionary FROM pieces),
  said AS (
    SELECT pieces.n, left(word, 60) AS word, dictionary FROM pieces, language
    WHERE ts_lexize(dictionary, word) IS DISTINCT FROM '{}' AND ts_lexize('english_stem', word) IS DISTINCT FROM '{}')
  SELECT DISTINCT found.n, found.term, found.is_whole FROM (
    SELECT said.n, unaccent(word) AS term, true AS is_whole FROM said WHERE word !~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]'
    UNION ALL
    SELECT said.n, unaccent(stem), false FROM said, unnest(ts_lexize(dictionary, word) || ts_lexize('english_stem', word)) AS stem
      WHERE word !~ '[0-9\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]' AND unaccent(stem) <> unaccent(word)
    UNION ALL
    SELECT said.n * 1000 + i, substr(word, i, 2), true FROM said, generate_series(1, greatest(length(word) - 1, 1)) AS i
      WHERE word ~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]'
    UNION ALL
    SELECT -at, unaccent(left(name, 60)), true FROM chunks, regexp_replace(chunk, '^[^a-z0-9\u00c0-\uffff/]+|[^a-z0-9\u00c0-\uffff]+$', '', 'g') AS name
      WHERE name ~ '[a-z0-9][^a-z0-9\u00c0-\uffff]+[a-z0-9]'
  ) found WHERE length(found.term) > 1 OR found.term ~ '[0-9\u3400-\u9fff]'
$$;

-- The facts and learnings that have such words.
WITH gone AS (
  DELETE FROM fact_terms t USING facts f WHERE f.id = t.fact_id AND normalize(f.content, NFKC) ~ '[\uac00-\ud7a3]'
  RETURNING t.term, t.scope)
INSERT INTO fact_term_changes (term, scope, facts) SELECT term, scope, -count(*) FROM gone GROUP BY term, scope;
WITH came AS (
  INSERT INTO fact_terms (term, scope, fact_id)
    SELECT DISTINCT s.term, f.scope || ' ' || f.scope_of, f.id FROM facts f
      CROSS JOIN LATERAL (SELECT '' AS term UNION ALL SELECT term FROM search_terms(f.content)) s
    WHERE f.invalidated_at IS NULL AND normalize(f.content, NFKC) ~ '[\uac00-\ud7a3]'
  RETURNING term, scope)
INSERT INTO fact_term_changes (term, scope, facts) SELECT term, scope, count(*) FROM came GROUP BY term, scope;

DELETE FROM learning_terms t USING learnings l WHERE l.id = t.learning_id AND normalize(l.content, NFKC) ~ '[\uac00-\ud7a3]';
INSERT INTO learning_terms (term, learning_id)
  SELECT DISTINCT s.term, l.id FROM learnings l CROSS JOIN LATERAL search_terms(l.content) s
  WHERE l.norm <> '' AND normalize(l.content, NFKC) ~ '[\uac00-\ud7a3]';
