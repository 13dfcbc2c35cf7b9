/**
 * Facts that mean what a question means, best first: the second list beside that of words (rank-facts.ts). Sketches
 * find some hundred of all facts in reach, the vectors of these rank them exactly; of so few facts, all are ranked.
 *
 * What must hold: of a fact's reach the facts' own rows decide, as for words.
 */
import type { KnownFact } from '../../agents/agent.ts'
import type { Reach } from '../../core/knowledge/fact-scope.ts'
import type { Database } from '../../store/database.ts'
import { nearestSketches, type NearVector } from '../../store/knowledge/fact-embeddings.ts'
import type { Meaning } from './embedder.ts'
import { cosineOf, cosineOfSketches, sketchOf } from './sketch.ts'

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

/** A list for each vector of the question; one that nothing is near to is empty. */
export async function nearestByMeaning(
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
export function aboveUsual(near: readonly NearVector[], question: Float32Array): KnownFact[] {
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
