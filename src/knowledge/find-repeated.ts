/**
 * What a text repeats of what is known: a live fact, a fact that was in this turn's prompt, or an earlier learning that
 * still counts. Called before a learning is stored, and before a fact or a question is made of one.
 *
 * What must hold: one round trip, bounded with any number of facts and learnings. The same normal text is found in any
 * case (hash index); of those that are alike, the ones that share most words (shared-words.ts).
 */
import type { Database } from '../store/database.ts'
import { isRepetition } from './is-repetition.ts'
import { sharingSql, WORDS_OF_TEXT } from './shared-words.ts'

export interface Repeated {
  readonly kind: 'fact' | 'learning'
  readonly id: string
}

export interface RepetitionQuery {
  /** The text's normal text (core/text/normal-text.ts). */
  readonly norm: string
  /** The turn whose prompt had facts. */
  readonly turnId: string
  /** `facts`: learnings do not count. */
  readonly among: 'facts' | 'all'
}

interface Candidate extends Repeated {
  readonly norm: string
  readonly similarity: number
}

/** Null: it repeats nothing. */
export async function findRepeated(
  database: Database,
  { norm, turnId, among }: RepetitionQuery,
): Promise<Repeated | null> {
  const candidates = await database.query<Candidate>(CANDIDATES, [norm, turnId, among === 'all'])
  const found = candidates.find((candidate) => isRepetition(norm, candidate.norm, candidate.similarity))
  return found === undefined ? null : { kind: found.kind, id: found.id }
}

/** Of facts, and of learnings, that share words. */
const MAX_CANDIDATES = 20

/**
 * A promoted learning whose fact was taken out of use may be learned again: the world may have changed back. What was
 * merged or consolidated away is known still.
 */
const COUNTS = `$3 AND NOT EXISTS (
  SELECT 1 FROM facts f WHERE f.id = l.fact_id AND f.invalidated_at IS NOT NULL AND f.replaced_by_id IS NULL)`

/** Arrays of ids: a join might read all rows to hash them. */
const nearIds = (kind: 'fact' | 'learning'): string =>
  `ARRAY(SELECT id FROM (${sharingSql(kind, String(MAX_CANDIDATES))}) near)`

const CANDIDATES = {
  name: 'knowledge.find-repeated',
  text: `WITH words AS MATERIALIZED (${WORDS_OF_TEXT}),
    found AS (
      (SELECT 'fact' AS kind, id, norm FROM facts WHERE norm = $1 AND invalidated_at IS NULL LIMIT 1)
      UNION ALL (SELECT 'learning', id, norm FROM learnings l WHERE norm = $1 AND ${COUNTS} LIMIT 1)
      UNION ALL SELECT 'fact', id, norm FROM facts WHERE id = ANY (${nearIds('fact')}) AND invalidated_at IS NULL
      UNION ALL SELECT 'learning', id, norm FROM learnings l WHERE id = ANY (${nearIds('learning')}) AND ${COUNTS}
      UNION ALL SELECT 'fact', id, norm FROM facts WHERE id = ANY ((SELECT fact_ids FROM turn_facts WHERE turn_id = $2)::text[]))
    SELECT kind, id, norm, similarity(norm, $1) AS similarity FROM found`,
}
