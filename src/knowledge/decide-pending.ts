/** From the curator's answer about pending learnings to what is written. Called in turns and by jobs. */
import type { CuratorContext, Evaluation } from '../agents/agent.ts'
import type { Config } from '../config/config.ts'
import type { AppErrorCode } from '../core/errors.ts'
import type { Curation } from '../core/turn-write.ts'
import type { Database } from '../store/database.ts'
import { curate } from './curate.ts'
import type { Meaning } from './embeddings/embedder.ts'
import { compareWithKnown } from './learnings/compare-with-known.ts'
import { modeOf } from './learnings/mode-of.ts'
import type { PendingCuration } from './load-curation.ts'
import { nearestFacts } from './nearest-facts.ts'
import { replaceableFact } from './replaceable-fact.ts'

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
