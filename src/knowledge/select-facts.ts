/**
 * Which facts a model is told: those that share rare words with a text, then the newest, bounded in number and characters.
 * Called for each plan (with the user's message) and for the curator (with the learnings that it judges).
 *
 * What must hold: one round trip, at a cost that does not depend on how many facts there are. For each word only its newest
 * facts are looked at, through a B-tree (`fact_words`): an inverted index would read all facts that have a frequent word.
 */
import type { KnownFact } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'

/** Of all facts together: they stand in every prompt of a turn. */
const MAX_FACTS_CHARS = 16_000
/** Words of the text that are looked up; the longest, which are the rarest. */
const MAX_WORDS = 48
/** A longer text says nothing more about what it is about. */
const MAX_TEXT_CHARS = 8000
/** Facts looked at for each word. One that more have says little. */
const FACTS_PER_WORD = 50

/** At most `maxCount` live facts, oldest first. */
export async function selectFacts(
  database: Database,
  { about, maxCount }: { readonly about: string; readonly maxCount: number },
): Promise<KnownFact[]> {
  const ranked = await database.query<KnownFact>(SELECT_FACTS, [about.slice(0, MAX_TEXT_CHARS), maxCount])
  return withinBudget(ranked).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** As many as fit; one that is too long for what is left does not keep out those after it. */
function withinBudget(facts: readonly KnownFact[]): KnownFact[] {
  let left = MAX_FACTS_CHARS
  return facts.filter(({ content }) => {
    if (content.length > left) return false
    left -= content.length
    return true
  })
}

/** Best first. A word weighs the less the more facts have it. One place in five is kept for what is new. */
const SELECT_FACTS = {
  name: 'knowledge.select-facts',
  text: `WITH words AS MATERIALIZED (
      SELECT DISTINCT word_key(lexeme) AS word FROM (
        SELECT lexeme FROM unnest(to_tsvector('simple', $1)) WHERE length(lexeme) > 1
        ORDER BY length(lexeme) DESC LIMIT ${MAX_WORDS}) longest),
    hits AS (
      SELECT hit.fact_id, 1.0 / count(*) OVER (PARTITION BY words.word) AS weight FROM words CROSS JOIN LATERAL (
        SELECT fact_id FROM fact_words WHERE word = words.word ORDER BY fact_id DESC LIMIT ${FACTS_PER_WORD}) hit),
    relevant AS (
      SELECT fact_id AS id, sum(weight) AS weight FROM hits GROUP BY 1 ORDER BY 2 DESC, 1 DESC LIMIT ceil($2::int * 0.8)),
    newest AS (SELECT id FROM facts WHERE invalidated_at IS NULL ORDER BY id DESC LIMIT $2::int)
    SELECT f.id, f.content FROM (
        SELECT id, max(weight) AS weight FROM (
          SELECT id, weight FROM relevant UNION ALL SELECT id, 0 FROM newest) found
        GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT $2::int) best
      JOIN facts f ON f.id = best.id AND f.invalidated_at IS NULL
    ORDER BY best.weight DESC, f.id DESC`,
}
