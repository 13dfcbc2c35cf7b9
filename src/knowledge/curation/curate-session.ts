/**
 * One job of the curator, from its claim to its end: it judges what waits for it in a session, without a turn. The
 * calls are in the name of whom it was learned from: their budget, and the session's, hold for it too.
 */
import type { CuratorContext } from '../../agents/agent.ts'
import type { CallGate } from '../../agents/call-gate.ts'
import { countCalls } from '../../agents/count-calls.ts'
import { redactedAgents } from '../../agents/redacted-agents.ts'
import { checkBudget } from '../../audit/budget.ts'
import { scopeKey } from '../../core/knowledge/fact-scope.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import { recordCalls, type Curation } from '../../core/turn-write.ts'
import { isStopped } from '../../platform/waiting/is-stopped.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { CURATION_TEXTS } from '../../secrets/turn-texts.ts'
import { accountCalls } from '../../store/knowledge/checkpoint-commit.ts'
import { endCuration, postponeCuration, type CurationClaim } from '../../store/knowledge/curation-jobs.ts'
import { storeCuration } from '../../store/knowledge/store-curations.ts'
import type { CheckpointContext } from '../checkpoints/make-checkpoint.ts'
import { triedInVain } from '../curate.ts'
import { curatorContext, decidePending, UNUSABLE_ANSWERS } from '../decide-pending.ts'
import { loadCuration, type PendingCuration } from '../load-curation.ts'

export interface SessionCurated {
  readonly changedIds: readonly string[]
  readonly events: readonly SessionEvent[]
}

/** After the first failure, the second …; after the last, the session's next turn or checkpoint tries again. */
const PAUSES_MS: readonly number[] = [60_000, 300_000, 900_000, 3_600_000]
const CURATOR = 'curator'
/** Scopes in one run; each is a call of its own. */
const MAX_CALLS = 20

/**
 * Rejects with DATABASE_UNAVAILABLE, or for a bug; then the claim runs out, and the job is done again. `signal`: the
 * process stops, and another one goes on at once; or the time is over, which counts as a failure.
 */
export async function curateSession(
  context: CheckpointContext,
  claim: CurationClaim,
  signal: AbortSignal,
): Promise<SessionCurated> {
  const { database, config } = context
  const { sessionId } = claim
  const made: SessionCurated[] = []
  const done: string[] = []
  let isWhole = true
  while (isWhole && !signal.aborted && done.length < MAX_CALLS) {
    const pending = await loadCuration(database, config.current(), { sessionId, done })
    if (pending.learnings.length === 0) break
    done.push(scopeKey(pending.scope))
    const curations = await judge(context, { claim, pending }, signal)
    isWhole = curations !== null
    for (const curation of curations ?? []) made.push(await store(context, sessionId, curation))
  }
  const rest = await loadCuration(database, config.current(), { sessionId, done: [] })
  await settle(context, claim, { isDone: rest.learnings.length === 0, isStopped: isStopped(signal) })
  return { changedIds: made.flatMap((one) => one.changedIds), events: made.flatMap((one) => one.events) }
}

interface RunEnd {
  /** Nothing waits any more. */
  readonly isDone: boolean
  readonly isStopped: boolean
}

/** What fails is counted, and the last failure is an error in the log: from then on nothing is tried by itself. */
async function settle(
  { database, metrics, logger }: CheckpointContext,
  claim: CurationClaim,
  { isDone, isStopped: isLeft }: RunEnd,
): Promise<void> {
  const { sessionId, failures } = claim
  if (!isLeft) metrics.jobs.inc({ name: 'curation', outcome: isDone ? 'done' : 'failed' })
  const pauseMs = isLeft ? 0 : PAUSES_MS[failures]
  if (!isDone && pauseMs !== undefined) return postponeCuration(database, claim, pauseMs)
  if (!isDone)
    logger.error({ sessionId, failures: failures + 1 }, "learnings wait for their session's next turn; curation failed")
  return endCuration(database, claim)
}

interface Task {
  readonly claim: CurationClaim
  readonly pending: PendingCuration
}

/** Null: there was no answer. */
async function judge(
  context: CheckpointContext,
  { claim: { sessionId, runId }, pending }: Task,
  signal: AbortSignal,
): Promise<readonly Curation[] | null> {
  const { database, config, clock, logger, metrics } = context
  const userName = pending.origins.find((origin) => origin.userName !== null)?.userName ?? CURATOR
  const { shown, calls: embedding } = await show(context, { sessionId, userName, pending }, signal)
  const answer = await ask(context, { sessionId, userName, shown, made: embedding }, signal)
  const calls = [...embedding, ...answer.calls]
  const recorded = recordCalls(calls, { sessionId, turnId: null, actor: userName, tokenName: null })
  const at = clock.now()
  await accountCalls(database, { sessionId, runId }, { calls, audit: recorded.entries, at })
  countCalls(metrics, calls)
  if (isStopped(signal)) return null
  if (answer.kind === 'answered') {
    const { output: evaluations } = answer
    return decidePending(database, config.current(), { pending, shown, evaluations, at })
  }
  const { code, message } = answer.error
  logger.warn({ sessionId, runId, code, error: message }, 'the curator gave no answer')
  return UNUSABLE_ANSWERS.has(code) ? triedInVain(pending.learnings, at) : null
}

interface CuratorPrompt {
  readonly shown: CuratorContext
  readonly calls: readonly ModelCallRecord[]
}

async function show(
  { database, config, embedder, redactorOf }: CheckpointContext,
  { sessionId, userName, pending }: { sessionId: string; userName: string; pending: PendingCuration },
  signal: AbortSignal,
): Promise<CuratorPrompt> {
  const gate: CallGate = (made) => checkBudget(database, config.current(), { sessionId, userName, made })
  const redactor = redactorOf(sessionId)
  const calls: ModelCallRecord[] = []
  const shown = await curatorContext(database, pending, async (texts) => {
    const asked = texts.map((text) => redactor.redact(text))
    const embedded = await embedder.meaningOf(asked, gate, signal)
    calls.push(...embedded.calls)
    return embedded.meaning
  })
  return { shown, calls }
}

interface CuratorQuestion {
  readonly sessionId: string
  readonly userName: string
  readonly shown: CuratorContext
  /** Before this one, and not yet in the rows. */
  readonly made: readonly ModelCallRecord[]
}

function ask(context: CheckpointContext, { sessionId, userName, shown, made }: CuratorQuestion, signal: AbortSignal) {
  const { database, config, agentsFor, redactorOf } = context
  const gate: CallGate = (more) =>
    checkBudget(database, config.current(), { sessionId, userName, made: [...made, ...more] })
  const agents = agentsFor({ gate, timeZone: config.current().settings.timeZone })
  return redactedAgents(agents, () => redactorOf(sessionId)).curate(shown, signal)
}

async function store(
  { database, redactorOf }: CheckpointContext,
  sessionId: string,
  curation: Curation,
): Promise<SessionCurated> {
  const clean = redactTexts(curation, CURATION_TEXTS, redactorOf(sessionId))
  const { changedIds, sessionEvent } = await storeCuration(database, sessionId, clean)
  return { changedIds, events: sessionEvent == null ? [] : [sessionEvent] }
}
