/**
 * Which facts enter a prompt: those that are about a text, best first, bounded in number and characters. Called for
 * each plan and conversation (with the user's message and what it may refer to) and for the curator (with each
 * learning).
 */
import type { KnownFact } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'
import { rankFacts, type FactQuery } from './rank-facts.ts'

/** Of all facts together, about 1 500 tokens: they stand in every prompt of a turn. */
const MAX_FACTS_CHARS = 6000

/** At most `maxCount` live facts, best first; [] when none is about it. */
export async function selectFacts(database: Database, query: FactQuery): Promise<KnownFact[]> {
  const ranked = await rankFacts(database, query)
  return withinBudget(ranked.map(({ id, content }) => ({ id, content })))
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
