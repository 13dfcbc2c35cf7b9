/**
 * Which facts enter a prompt: those that share rare words with a text, then the newest, bounded in number and
 * characters. Called for each plan (with the user's message) and for the curator (with the learnings that it judges).
 * One round trip, at a cost that does not depend on how many facts there are (shared-words.ts).
 */
import type { KnownFact } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'
import { sharingSql, WORDS_OF_TEXT } from './shared-words.ts'

/** Of all facts together: they stand in every prompt of a turn. */
const MAX_FACTS_CHARS = 16_000

/** At most `maxCount` live facts, oldest first. */
export async function selectFacts(
  database: Database,
  { about, maxCount }: { readonly about: string; readonly maxCount: number },
): Promise<KnownFact[]> {
  const ranked = await database.query<KnownFact>(SELECT_FACTS, [about, maxCount])
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

/** Best first. One place in five is kept for what is new. An array of ids: a join might read all facts to hash them. */
const SELECT_FACTS = {
  name: 'knowledge.select-facts',
  text: `WITH words AS MATERIALIZED (${WORDS_OF_TEXT}),
    found AS (
      SELECT id, weight FROM (${sharingSql('fact', 'ceil($2::int * 0.8)')}) relevant
      UNION ALL (SELECT id, 0 FROM facts WHERE invalidated_at IS NULL ORDER BY id DESC LIMIT $2::int)),
    best AS MATERIALIZED (SELECT array_agg(id ORDER BY weight DESC, id DESC) AS ids FROM (
      SELECT id, max(weight) AS weight FROM found GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT $2::int) ranked)
    SELECT id, content FROM facts WHERE id = ANY ((SELECT ids FROM best)::text[]) AND invalidated_at IS NULL
    ORDER BY array_position((SELECT ids FROM best), id)`,
}
