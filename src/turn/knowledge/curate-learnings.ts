/**
 * CURATING: the curator decides about the session's pending learnings: a fact, perhaps in place of a known one,
 * a question to the user, or nothing. The
 * decisions are one write, and each holds only for a learning that is still pending.
 */
import type { AppErrorCode } from '../../core/errors.ts'
import { curate, triedInVain } from '../../knowledge/curate.ts'
import { compareWithKnown } from '../../knowledge/learnings/compare-with-known.ts'
import { modeOf } from '../../knowledge/learnings/mode-of.ts'
import { reachOfScope, scopeKey } from '../../core/knowledge/fact-scope.ts'
import { loadCuration, type PendingCuration } from '../../knowledge/load-curation.ts'
import { replaceableFact } from '../../knowledge/replaceable-fact.ts'
import { nearestFacts } from '../../knowledge/nearest-facts.ts'
import { askAfterwards, type StepOutcome } from '../step-outcome.ts'
import type { TurnContext } from '../turn-context.ts'

type CurateLearningsContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database' | 'clock'
>

/** What the model answers will not be better by waiting: what is judged is to blame, or the model. */
const UNUSABLE: ReadonlySet<AppErrorCode> = new Set(['MODEL_BAD_OUTPUT', 'MODEL_TRUNCATED', 'MODEL_REFUSED'])

/** Of learnings in one session; what is left comes with the next turn. */
const MAX_SCOPES = 5

export async function curateLearnings(context: CurateLearningsContext): Promise<StepOutcome> {
  // What the turn has just learned must be in the rows that are read.
  await context.journal.flushed()
  const done: string[] = []
  while (done.length < MAX_SCOPES) {
    const pending = await loadCuration(context.database, context.sessionId, done)
    if (pending.learnings.length === 0) break
    const outcome = await curateOnes(context, pending)
    if (outcome.kind !== 'Passed') return outcome
    done.push(scopeKey(pending.scope))
  }
  return { kind: 'Passed' }
}

/** Learnings of one scope. */
async function curateOnes(
  context: CurateLearningsContext,
  { similar, origins, scope, ...pending }: PendingCuration,
): Promise<StepOutcome> {
  const { database, journal, agents, clock, config, turn } = context
  const near = { known: similar, reach: reachOfScope(scope) }
  const { learnings, facts } = await nearestFacts(database, pending.learnings, near)
  const answer = await askAfterwards(context, 'CURATING', () =>
    agents.curate({ ...pending, learnings, facts }, context.signal),
  )
  if (answer.kind !== 'answered') {
    const isUnusable = answer.kind === 'Failed' && answer.code !== undefined && UNUSABLE.has(answer.code)
    if (isUnusable) journal.record([], { curations: triedInVain(learnings, clock.now()) })
    return answer
  }
  const curations = await curate({
    evaluations: answer.output,
    questions: pending.questions,
    compare: (norm) => compareWithKnown(database, { norm, turnId: turn.id, scope, among: 'facts' }),
    scope,
    modeOf: (id) => {
      const origin = origins.find((one) => one.id === id)
      return modeOf(config.current(), origin?.source ?? 'REVIEW', origin?.userName ?? null)
    },
    contentOf: (id) => learnings.find((one) => one.id === id)?.content,
    factOf: async (id) => {
      const shown = facts.find((one) => one.id === id)
      return shown === undefined ? null : await replaceableFact(database, shown)
    },
    at: clock.now(),
  })
  journal.record([], { curations })
  return { kind: 'Passed' }
}
