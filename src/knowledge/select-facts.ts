/**
 * Which facts enter a prompt: those that are about a text by their words, and by what they mean where an embedder is
 * set, best first, bounded in number and characters. Called for each plan and conversation (with the user's message and
 * what it may refer to) and for the curator (with each learning).
 */
import type { KnownFact } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'
import { GLOBAL_SCOPE, reachOfScope, type Reach } from '../core/knowledge/fact-scope.ts'
import type { Meaning } from './embeddings/embedder.ts'
import { rankFacts, type FactQuery } from './rank-facts.ts'
import { nearestSketches, type NearVector } from '../store/embeddings/nearest-sketches.ts'
import { cosineOf, cosineOfSketches, sketchOf } from './embeddings/sketch.ts'

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

/** Usual: the first places of a list differ little. */
const SMOOTHING = 60

/**
 * One list of several, by reciprocal rank: what stands high in one of them, or well in more than one, stands high.
 * Pure. Scores of different kinds cannot be added; places can.
 * Each once, best first; among equals, as in the first list.
 */
export function fuseRanks<Item extends { readonly id: string }>(lists: readonly (readonly Item[])[]): Item[] {
  const scores = new Map<string, { readonly item: Item; score: number }>()
  for (const list of lists)
    list.forEach((item, place) => {
      const known = scores.get(item.id)
      const score = 1 / (SMOOTHING + place + 1)
      if (known === undefined) scores.set(item.id, { item, score })
      else known.score += score
    })
  return [...scores.values()].toSorted((a, b) => b.score - a.score).map(({ item }) => item)
}

interface MeaningQuery {
  readonly meaning: Meaning
  readonly reach: Reach
  /** As in FactQuery. */
  readonly teachers: readonly string[] | null
  readonly maxCount: number
}

/**
 * Ranked by their vectors: exact up to so many facts in reach, and nearly so beyond (`npm run bench:memory`). A
 * thousand took 0.1 to 0.3 s of this process for each vector of a question, most of it to read them.
 */
const MAX_COMPARED = 300

/**
 * Facts that mean what a question means, best first: the second list beside that of words (rank-facts.ts). Sketches
 * find some hundred of all facts in reach, the vectors of these rank them exactly; of so few facts, all are ranked.
 *
 * What must hold: of a fact's reach the facts' own rows decide, as for words.
 * A list for each vector of the question; one that nothing is near to is empty.
 */
async function nearestByMeaning(
  database: Database,
  { meaning: { model, vectors }, reach, teachers, maxCount }: MeaningQuery,
): Promise<KnownFact[][]> {
  const lists: KnownFact[][] = []
  for (const vector of vectors) {
    const asked = { model, reach, teachers, sketch: sketchOf(vector), limit: MAX_COMPARED }
    const near = await nearestSketches(database, asked)
    lists.push(aboveUsual(near, vector).slice(0, maxCount))
  }
  return lists
}

/** How far above the usual similarity of a question to a fact it must be, in standard deviations of that. */
const UNUSUAL = 2.5
/** Of few facts even the one that differs from all others is not so far from them. */
const UNUSUAL_OF_FEW = 0.8
/** And as a share of how far the best one is above it. */
const NEAR_THE_BEST = 0.5

/**
 * What a similarity says differs from model to model: some call all texts alike by 0.7. So it is compared with that of
 * all facts in reach to this question.
 */
function aboveUsual(near: readonly NearVector[], question: Float32Array): KnownFact[] {
  const scored = near
    .map((fact) => ({ ...fact, similarity: cosineOf(fact.vector, question) }))
    .toSorted((a, b) => b.similarity - a.similarity)
  const [best] = scored
  if (best === undefined) return []
  const usual = cosineOfSketches(best.meanDiffering)
  const deviation = cosineOfSketches(best.meanDiffering - best.spread) - usual
  const unusual = Math.min(UNUSUAL, (UNUSUAL_OF_FEW * (best.total - 1)) / Math.sqrt(best.total))
  const floor = usual + Math.max(unusual * deviation, NEAR_THE_BEST * (best.similarity - usual))
  return scored.filter(({ similarity }) => similarity >= floor).map(({ id, content }) => ({ id, content }))
}
