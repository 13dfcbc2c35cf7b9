/** The facts that learnings are compared with: for each learning those nearest to it. */
import type { CuratorContext, KnownFact } from '../agents/agent.ts'
import type { Reach } from '../core/knowledge/fact-scope.ts'
import type { Database } from '../store/database.ts'
import { selectFacts } from './select-facts.ts'

/** Of one learning. */
const MAX_NEAR = 5

/**
 * Each learning with the ids of its nearest facts, and these facts and the `known` ones, each once. One search after
 * another: few are pending.
 */
export async function nearestFacts(
  database: Database,
  learnings: CuratorContext['learnings'],
  { known, reach }: { readonly known: readonly KnownFact[]; readonly reach: Reach },
): Promise<Pick<CuratorContext, 'learnings' | 'facts'>> {
  const facts = new Map(known.map((fact) => [fact.id, fact]))
  const near: CuratorContext['learnings'][number][] = []
  for (const learning of learnings) {
    const found = await selectFacts(database, { about: learning.content, reach, maxCount: MAX_NEAR })
    for (const fact of found) facts.set(fact.id, fact)
    near.push({ ...learning, nearFactIds: found.map(({ id }) => id) })
  }
  return { learnings: near, facts: [...facts.values()] }
}
