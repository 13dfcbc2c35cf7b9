/**
 * The facts that learnings are compared with: for each learning those nearest to it, by its words, and by what it means
 * where an embedder has said that.
 */
import type { CuratorContext, KnownFact } from '../agents/agent.ts'
import type { Reach } from '../core/knowledge/fact-scope.ts'
import type { Database } from '../store/database.ts'
import type { Meaning } from './embeddings/embedder.ts'
import { selectFacts } from './select-facts.ts'

/** Of one learning. */
const MAX_NEAR = 5

interface Compared {
  readonly known: readonly KnownFact[]
  readonly reach: Reach
  /** Of the learnings, in their order; null: by words alone. */
  readonly meaning: Meaning | null
}

/**
 * Each learning with the ids of its nearest facts, and these facts and the `known` ones, each once. One search after
 * another: few are pending.
 */
export async function nearestFacts(
  database: Database,
  learnings: CuratorContext['learnings'],
  { known, reach, meaning }: Compared,
): Promise<Pick<CuratorContext, 'learnings' | 'facts'>> {
  const facts = new Map(known.map((fact) => [fact.id, fact]))
  const near: CuratorContext['learnings'][number][] = []
  for (const [at, learning] of learnings.entries()) {
    const query = { about: learning.content, reach, maxCount: MAX_NEAR }
    const found = await selectFacts(database, query, ofOne(meaning, at))
    for (const fact of found) facts.set(fact.id, fact)
    near.push({ ...learning, nearFactIds: found.map(({ id }) => id) })
  }
  return { learnings: near, facts: [...facts.values()] }
}

function ofOne(meaning: Meaning | null, at: number): Meaning | null {
  const vector = meaning?.vectors[at]
  return meaning === null || vector === undefined ? null : { model: meaning.model, vectors: [vector] }
}
