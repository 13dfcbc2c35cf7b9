/**
 * How facts were chosen before they were ranked by their words' true frequency: by the 40 newest texts of each word of
 * the message, cut at six letters, and the newest. Kept here alone, so that both are measured in one run.
 */
import type { KnownFact } from '../../src/agents/agent.ts'
import type { Database } from '../../src/store/database.ts'
import { sharingSql, WORDS_OF_TEXT } from '../../src/knowledge/shared-words.ts'

const MAX_FACTS = 50
const WORDS = { table: 'bench_fact_words', id: 'fact_id' }

/** The words of all facts of a store, which the product no longer keeps. */
export async function prepareBefore(database: Database): Promise<void> {
  for (const text of PREPARE) await database.query({ name: '', text, timeoutMs: 25_000 }, [])
}

const PREPARE = [
  `CREATE TABLE ${WORDS.table} AS SELECT word, id AS ${WORDS.id} FROM facts, word_keys(content) AS word`,
  `ALTER TABLE ${WORDS.table} ADD PRIMARY KEY (word, ${WORDS.id})`,
  `ANALYZE ${WORDS.table}`,
]

export function chooseAsBefore(database: Database, about: string): Promise<KnownFact[]> {
  return database.query<KnownFact>(CHOOSE, [about, MAX_FACTS])
}

const CHOOSE = {
  name: 'bench.choose-as-before',
  text: `WITH words AS MATERIALIZED (${WORDS_OF_TEXT}),
    found AS (
      SELECT id, weight FROM (${sharingSql(WORDS, 'ceil($2::int * 0.8)')}) relevant
      UNION ALL (SELECT id, 0 FROM facts WHERE invalidated_at IS NULL ORDER BY id DESC LIMIT $2::int)),
    best AS MATERIALIZED (SELECT array_agg(id ORDER BY weight DESC, id DESC) AS ids FROM (
      SELECT id, max(weight) AS weight FROM found GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT $2::int) ranked)
    SELECT id, content FROM facts WHERE id = ANY ((SELECT ids FROM best)::text[]) AND invalidated_at IS NULL
    ORDER BY array_position((SELECT ids FROM best), id)`,
}
