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
/** In one run; what is left is judged in the next one, at once. */
const MAX_CALLS = 20
/** A used-up budget may be raised at any time, and asking whether it was costs no call. */
const BUDGET_PAUSE_MS = 3_600_000

/**
 * Rejects with DATABASE_UNAVAILABLE, or for a bug; then `failCuration` counts it. `signal`: the process stops, and
 * another one goes on at once; or the time is over, which counts as a failure.
 */
export async function curateSession(
  context: CheckpointContext,
  claim: CurationClaim,
  signal: AbortSignal,
): Promise<SessionCurated> {
  const { database, config } = context
  const { sessionId } = claim
  const made: SessionCurated[] = []
  const seen = new Set<string>()
  /** Scopes of which all that was read waits though it was judged. */
  const done: string[] = []
  let calls = 0
  let judged: Judged = { kind: 'judged', curations: [] }
  while (judged.kind === 'judged' && calls < MAX_CALLS && !signal.aborted) {
    const pending = await loadCuration(database, config.current(), { sessionId, done })
    if (pending.learnings.length === 0) break
    if (pending.learnings.every(({ id }) => seen.has(id))) {
      done.push(scopeKey(pending.scope))
      continue
    }
    judged = await judge(context, { claim, pending }, signal)
    calls += 1
    for (const { id } of pending.learnings) seen.add(id)
    const curations = judged.kind === 'judged' ? judged.curations : []
    for (const curation of curations) made.push(await store(context, sessionId, curation))
  }
  const isCut = isStopped(signal) || (calls === MAX_CALLS && made.length > 0)
  if (calls > 0 || signal.aborted) await settle(context, claim, { judged, isCut })
  else await endCuration(database, claim)
  return { changedIds: made.flatMap((one) => one.changedIds), events: made.flatMap((one) => one.events) }
}

interface RunEnd {
  /** The last answer of the run. */
  readonly judged: Judged
  /** The process stops, or there was more than one run judges: no failure. */
  readonly isCut: boolean
}

async function settle(context: CheckpointContext, claim: CurationClaim, { judged, isCut }: RunEnd): Promise<void> {
  const { database, config, metrics } = context
  const rest = await loadCuration(database, config.current(), { sessionId: claim.sessionId, done: [] })
  if (rest.learnings.length === 0) {
    metrics.jobs.inc({ name: 'curation', outcome: 'done' })
    return endCuration(database, claim)
  }
  if (isCut) return postponeCuration(database, claim, { againInMs: 0, isFailure: false })
  if (judged.kind !== 'usedUp') return failCuration(context, claim)
  return postponeCuration(database, claim, { againInMs: BUDGET_PAUSE_MS, isFailure: false })
}

/** Counts a failure; the last one is an error in the log: from then on nothing is tried by itself. */
export async function failCuration(
  { database, metrics, logger }: CheckpointContext,
  claim: CurationClaim,
): Promise<void> {
  const { sessionId, failures } = claim
  metrics.jobs.inc({ name: 'curation', outcome: 'failed' })
  const againInMs = PAUSES_MS[failures]
  if (againInMs !== undefined) return postponeCuration(database, claim, { againInMs, isFailure: true })
  logger.error({ sessionId, failures: failures + 1 }, "learnings wait for their session's next turn; curation failed")
  return endCuration(database, claim)
}

type Judged =
  | { readonly kind: 'judged'; readonly curations: readonly Curation[] }
  /** There was no answer. `usedUp`: as the budget is. */
  | { readonly kind: 'unanswered' | 'usedUp' }

interface Task {
  readonly claim: CurationClaim
  readonly pending: PendingCuration
}

async function judge(
  context: CheckpointContext,
  { claim: { sessionId, runId }, pending }: Task,
  signal: AbortSignal,
): Promise<Judged> {
  const { database, config, clock, logger, metrics } = context
  const userName = pending.origins.find((origin) => origin.userName !== null)?.userName ?? CURATOR
  const { shown, calls: embedding } = await show(context, { sessionId, userName, pending }, signal)
  const answer = await ask(context, { sessionId, userName, shown, made: embedding }, signal)
  const calls = [...embedding, ...answer.calls]
  const recorded = recordCalls(calls, { sessionId, turnId: null, actor: userName, tokenName: null })
  const at = clock.now()
  await accountCalls(database, { sessionId, runId }, { calls, audit: recorded.entries, at })
  countCalls(metrics, calls)
  if (isStopped(signal)) return { kind: 'unanswered' }
  if (answer.kind === 'answered') {
    const { output: evaluations } = answer
    const judgement = { pending, shown, evaluations, at }
    return { kind: 'judged', curations: await decidePending(database, config.current(), judgement) }
  }
  const { code, message } = answer.error
  logger.warn({ sessionId, runId, code, error: message }, 'the curator gave no answer')
  if (code === 'BUDGET_USED_UP') return { kind: 'usedUp' }
  return UNUSABLE_ANSWERS.has(code)
    ? { kind: 'judged', curations: triedInVain(pending.learnings, at) }
    : { kind: 'unanswered' }
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
