/** Learnings whose texts are alike to a fact's or a learning's, whatever became of them. */
import type { Database } from '../../store/database.ts'
import { sharingSql, WORDS_OF_TEXT } from '../shared-words.ts'

/** Of trigrams, 0 to 1: as facts are called alike to a learning (compare-with-known.ts). */
const MIN_SIMILARITY = 0.5
const MAX_ALIKE = 100

/**
 * Ids of at most a hundred, itself not among them; [] without such a fact or learning. Of each word the newest
 * learnings that have it are compared, so the cost does not grow with their number.
 */
export async function alikeLearnings(database: Database, id: string): Promise<string[]> {
  const [text] = await database.query<{ norm: string }>(TEXT_OF, [id])
  if (text === undefined) return []
  const rows = await database.query<{ id: string }>(ALIKE, [text.norm, id])
  return rows.map((row) => row.id)
}

const TEXT_OF = {
  name: 'knowledge.text-of',
  text: `SELECT norm FROM facts WHERE id = $1::text UNION ALL SELECT norm FROM learnings WHERE id = $1::text`,
}

const LEARNING_WORDS = { table: 'learning_words', id: 'learning_id' }

const ALIKE = {
  name: 'knowledge.alike-learnings',
  text: `WITH words AS MATERIALIZED (${WORDS_OF_TEXT})
    SELECT l.id FROM learnings l
    WHERE l.id = ANY (ARRAY(SELECT id FROM (${sharingSql(LEARNING_WORDS, '2 * ' + String(MAX_ALIKE))}) near))
      AND l.id <> $2::text AND similarity(l.norm, $1) >= ${MIN_SIMILARITY}
    ORDER BY similarity(l.norm, $1) DESC, l.id DESC LIMIT ${MAX_ALIKE}`,
}
