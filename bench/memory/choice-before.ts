/**
 * How facts were chosen before they were ranked by their words' true frequency: by the 40 newest texts of each word of
 * the message, cut at six letters, and the newest. Kept here alone, so that both are measured in one run.
 */
import type { KnownFact } from '../../src/agents/agent.ts'
import type { Database } from '../../src/store/database.ts'

const MAX_FACTS = 50
const WORDS = { table: 'bench_fact_words', id: 'fact_id' }
const MAX_TEXT_CHARS = 8000
/** Words of the text that are looked up: the longest. */
const MAX_WORDS = 32
const TEXTS_PER_WORD = 40

/** The words of all facts of a store, which the product no longer keeps. */
export async function prepareBefore(database: Database): Promise<void> {
  for (const text of PREPARE) await database.query({ name: '', text, timeoutMs: 25_000 }, [])
}

const PREPARE = [
  `CREATE FUNCTION word_key(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN left(CASE WHEN length(word) > 3 THEN rtrim(word, 's') ELSE word END, 6)`,
  `CREATE FUNCTION word_keys(content text) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT DISTINCT word_key(word) FROM unnest(tsvector_to_array(to_tsvector('simple', content))) AS word
    WHERE length(word) > 1 $$`,
  `CREATE TABLE ${WORDS.table} AS SELECT word, id AS ${WORDS.id} FROM facts, word_keys(content) AS word`,
  `ALTER TABLE ${WORDS.table} ADD PRIMARY KEY (word, ${WORDS.id})`,
  `ANALYZE ${WORDS.table}`,
]

export function chooseAsBefore(database: Database, about: string): Promise<KnownFact[]> {
  return database.query<KnownFact>(CHOOSE, [about, MAX_FACTS])
}

const WORDS_OF_TEXT = `SELECT DISTINCT word_key(lexeme) AS word FROM (
    SELECT lexeme FROM unnest(to_tsvector('simple', left($1, ${MAX_TEXT_CHARS}))) WHERE length(lexeme) > 1
    ORDER BY length(lexeme) DESC LIMIT ${MAX_WORDS}) longest`

/** The facts that share most: `id`, `weight`. A word weighs the less the more facts have it. */
const SHARING = `SELECT id, sum(weight) AS weight FROM (
    SELECT hit.id, 1.0 / count(*) OVER (PARTITION BY words.word) AS weight FROM words CROSS JOIN LATERAL (
      SELECT ${WORDS.id} AS id FROM ${WORDS.table}
        WHERE (word, ${WORDS.id}) >= (words.word, '') AND (word, ${WORDS.id}) <= (words.word, 'zzzz')
        ORDER BY word DESC, ${WORDS.id} DESC LIMIT ${TEXTS_PER_WORD}) hit
  ) hits GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT ceil($2::int * 0.8)`

const CHOOSE = {
  name: 'bench.choose-as-before',
  text: `WITH words AS MATERIALIZED (${WORDS_OF_TEXT}),
    found AS (
      SELECT id, weight FROM (${SHARING}) relevant
      UNION ALL (SELECT id, 0 FROM facts WHERE invalidated_at IS NULL ORDER BY id DESC LIMIT $2::int)),
    best AS MATERIALIZED (SELECT array_agg(id ORDER BY weight DESC, id DESC) AS ids FROM (
      SELECT id, max(weight) AS weight FROM found GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT $2::int) ranked)
    SELECT id, content FROM facts WHERE id = ANY ((SELECT ids FROM best)::text[]) AND invalidated_at IS NULL
    ORDER BY array_position((SELECT ids FROM best), id)`,
}
