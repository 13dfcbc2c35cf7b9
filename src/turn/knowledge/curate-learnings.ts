/**
 * CURATING: the curator decides about the session's pending learnings: a fact, perhaps in place of a known one,
 * a question to the user, or nothing. The
 * decisions are one write, and each holds only for a learning that is still pending.
 */
import { scopeKey } from '../../core/knowledge/fact-scope.ts'
import { triedInVain } from '../../knowledge/curate.ts'
import { curatorContext, decidePending, UNUSABLE_ANSWERS } from '../../knowledge/decide-pending.ts'
import { loadCuration, MAX_LEARNINGS, type PendingCuration } from '../../knowledge/load-curation.ts'
import { isCurating } from '../../store/knowledge/curation-jobs.ts'
import { askAfterwards, type StepOutcome } from '../step-outcome.ts'
import type { TurnContext } from '../turn-context.ts'

type CurateLearningsContext = Pick<
  TurnContext,
  'sessionId' | 'turn' | 'journal' | 'signal' | 'agents' | 'config' | 'database' | 'clock' | 'secrets' | 'meaningOf'
>

/** Of learnings in one session; what is left is judged by a job. */
const MAX_SCOPES = 5

/**
 * Scope by scope, a few of them in one turn. Repeated it decides nothing twice; what a failed call leaves pending is
 * judged by a job of the session, and so is what no decision was made of, or all while such a job runs.
 */
export async function curateLearnings(context: CurateLearningsContext): Promise<StepOutcome> {
  // What the turn has just learned must be in the rows that are read.
  await context.journal.flushed()
  const { sessionId, database } = context
  if (await isCurating(database, sessionId)) return { kind: 'Passed' }
  const done: string[] = []
  while (done.length < MAX_SCOPES) {
    const pending = await loadCuration(database, context.config.current(), { sessionId, done })
    if (pending.learnings.length === 0) return { kind: 'Passed' }
    const outcome = await curateOnes(context, pending)
    if (outcome.kind !== 'Passed') return outcome
    done.push(scopeKey(pending.scope))
  }
  context.journal.record([], { curationDue: true })
  return { kind: 'Passed' }
}

/** Learnings of one scope. */
async function curateOnes(context: CurateLearningsContext, pending: PendingCuration): Promise<StepOutcome> {
  const { database, journal, agents, clock, config, secrets, meaningOf } = context
  const redactor = secrets.redactor()
  const shown = await curatorContext(database, pending, (texts) =>
    meaningOf(texts.map((text) => redactor.redact(text))),
  )
  const answer = await askAfterwards(context, 'CURATING', () => agents.curate(shown, context.signal))
  const at = clock.now()
  if (answer.kind !== 'answered') {
    const isUnusable = answer.kind === 'Failed' && answer.code !== undefined && UNUSABLE_ANSWERS.has(answer.code)
    if (isUnusable) journal.record([], { curations: triedInVain(pending.learnings, at) })
    return answer
  }
  const judgement = { pending, shown, evaluations: answer.output, at }
  const curations = await decidePending(database, config.current(), judgement)
  const isLeft = pending.learnings.length === MAX_LEARNINGS || curations.length < pending.learnings.length
  journal.record([], { curations, ...(isLeft ? { curationDue: true } : {}) })
  return { kind: 'Passed' }
}
