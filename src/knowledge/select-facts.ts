/**
 * Which facts enter a prompt: those that are about a text by their words, and by what they mean where an embedder is
 * set, best first, bounded in number and characters. Called for each plan and conversation (with the user's message and
 * what it may refer to) and for the curator (with each learning).
 */
import type { KnownFact } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'
import { GLOBAL_SCOPE, reachOfScope } from '../core/knowledge/fact-scope.ts'
import type { Meaning } from './embeddings/embedder.ts'
import { fuseRanks } from './embeddings/fuse-ranks.ts'
import { nearestByMeaning } from './embeddings/nearest-by-meaning.ts'
import { rankFacts, type FactQuery } from './rank-facts.ts'

/** Of all facts together, about 1 500 tokens: they stand in every prompt of a turn. */
const MAX_FACTS_CHARS = 6000

/** At most `maxCount` live facts, best first; [] when none is about it. `meaning`: of the query, where it is known. */
export async function selectFacts(
  database: Database,
  query: FactQuery,
  meaning: Meaning | null = null,
): Promise<KnownFact[]> {
  const ranked = await rankFacts(database, query)
  const byWords = ranked.map(({ id, content }) => ({ id, content }))
  if (meaning === null) return withinBudget(byWords)
  const { maxCount, reach = reachOfScope(GLOBAL_SCOPE), teachers = null } = query
  const byMeaning = await nearestByMeaning(database, { meaning, reach, teachers, maxCount })
  return withinBudget(fuseRanks([byWords, ...byMeaning]).slice(0, maxCount))
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
