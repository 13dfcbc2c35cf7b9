/**
 * Learnings whose texts are alike to a fact's or a learning's, whatever became of them: by the terms that facts are
 * found by (../rank-facts.ts), the rarer the more they tell, then by trigrams. What it reads depends on the bounds
 * below, not on how many learnings there are.
 */
import type { Database } from '../../store/database.ts'

/** Of trigrams, 0 to 1: as facts are called alike to a learning (compare-with-known.ts). */
const MIN_SIMILARITY = 0.5
const MAX_ALIKE = 100
/** Of the text; what follows says little more about what it is about. */
const MAX_TEXT_CHARS = 4000
/** The rarest ones. */
const MAX_TERMS = 24
/** Learnings of a term that are read, and counted: the newest. A term that more have tells little. */
const MAX_READ = 2000
/** Of which the trigrams are compared. */
const MAX_CANDIDATES = 2000

/** Ids of at most a hundred, the most alike first, itself not among them; [] without such a fact or learning. */
export async function alikeLearnings(database: Database, id: string): Promise<string[]> {
  const [text] = await database.query<{ content: string; norm: string }>(TEXT_OF, [id])
  if (text === undefined) return []
  const rows = await database.query<{ id: string }>(ALIKE, [text.content, text.norm, id])
  return rows.map((row) => row.id)
}

const TEXT_OF = {
  name: 'knowledge.text-of',
  text: `SELECT content, norm FROM facts WHERE id = $1::text UNION ALL SELECT content, norm FROM learnings WHERE id = $1::text`,
}

const ALIKE = {
  name: 'knowledge.alike-learnings',
  text: `WITH asked AS MATERIALIZED (
      SELECT term, ln(1 + ${MAX_READ}::float8 / learnings) AS weight FROM (
        SELECT said.term, (SELECT count(*) FROM (
          SELECT FROM learning_terms t WHERE t.term = said.term LIMIT ${MAX_READ}) few) AS learnings
        FROM (SELECT DISTINCT term FROM search_terms(left($1, ${MAX_TEXT_CHARS}))) said) counted
      WHERE learnings > 0 ORDER BY learnings, term LIMIT ${MAX_TERMS}),
    near AS MATERIALIZED (
      SELECT hit.learning_id FROM asked CROSS JOIN LATERAL (
        SELECT t.learning_id FROM learning_terms t WHERE t.term = asked.term
        ORDER BY t.learning_id DESC LIMIT ${MAX_READ}) hit
      GROUP BY 1 ORDER BY sum(asked.weight) DESC, 1 DESC LIMIT ${MAX_CANDIDATES})
    SELECT l.id FROM learnings l
    WHERE l.id = ANY (ARRAY(SELECT learning_id FROM near)) AND l.id <> $3::text AND similarity(l.norm, $2) >= ${MIN_SIMILARITY}
    ORDER BY similarity(l.norm, $2) DESC, l.id DESC LIMIT ${MAX_ALIKE}`,
}
