/** From the curator's answer about pending learnings to what is written. Called in turns and by jobs. */
import type { CuratorContext, Evaluation, KnownFact } from '../agents/agent.ts'
import type { Config } from '../config/config.ts'
import type { AppErrorCode } from '../core/errors.ts'
import type { Curation } from '../core/turn-write.ts'
import type { Database } from '../store/database.ts'
import { curate } from './curate.ts'
import type { Meaning } from './embeddings/embedder.ts'
import { compareWithKnown } from './learnings/compare-with-known.ts'
import { modeOf } from './learnings/mode-of.ts'
import type { PendingCuration } from './load-curation.ts'
import { replaceableFact } from './replaceable-fact.ts'
import type { Reach } from '../core/knowledge/fact-scope.ts'
import { selectFacts } from './select-facts.ts'

/** What the model answers will not be better by waiting: what is judged is to blame, or the model. */
export const UNUSABLE_ANSWERS: ReadonlySet<AppErrorCode> = new Set([
  'MODEL_BAD_OUTPUT',
  'MODEL_TRUNCATED',
  'MODEL_REFUSED',
])

/** What texts mean to an embedder; null: there is none, or it gave no answer. */
export type MeaningOf = (texts: readonly string[]) => Promise<Meaning | null>

/** What the curator is shown of pending learnings. `meaningOf` is asked once, for all of them. */
export async function curatorContext(
  database: Database,
  pending: PendingCuration,
  meaningOf: MeaningOf,
): Promise<CuratorContext> {
  const { similar, origins: _origins, scope: _scope, reach, ...shown } = pending
  const meaning = await meaningOf(pending.learnings.map(({ content }) => content))
  const near = { known: similar, reach, meaning }
  return { ...shown, ...(await nearestFacts(database, pending.learnings, near)) }
}

interface Judgement {
  readonly pending: PendingCuration
  readonly shown: CuratorContext
  readonly evaluations: readonly Evaluation[]
  readonly at: Date
}

/** What stays as it is, since what it was judged by has changed, is not in it. */
export function decidePending(
  database: Database,
  config: Config,
  { pending, shown, evaluations, at }: Judgement,
): Promise<Curation[]> {
  const { scope, origins, learnings, questions } = pending
  return curate({
    evaluations,
    questions,
    compare: (norm) => compareWithKnown(database, { norm, turnId: '', scope, among: 'facts' }),
    scope,
    modeOf: (id) => {
      const origin = origins.find((one) => one.id === id)
      return modeOf(config, origin?.source ?? 'REVIEW', origin?.userName ?? null)
    },
    contentOf: (id) => learnings.find((one) => one.id === id)?.content,
    factOf: async (id) => {
      const fact = shown.facts.find((one) => one.id === id)
      return fact === undefined ? null : await replaceableFact(database, fact)
    },
    at,
  })
}

/** Of one learning. */
const MAX_NEAR = 5

interface Compared {
  readonly known: readonly KnownFact[]
  readonly reach: Reach
  /** Of the learnings, in their order; null: by words alone. */
  readonly meaning: Meaning | null
}

/**
 * The facts that learnings are compared with: for each learning those nearest to it, by its words, and by what it means
 * where an embedder has said that.
 * Each learning with the ids of its nearest facts, and these facts and the `known` ones, each once. One search after
 * another: few are pending.
 */
async function nearestFacts(
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
