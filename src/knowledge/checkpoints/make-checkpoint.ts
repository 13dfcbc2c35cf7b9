/**
 * One checkpoint, from its claim to its commit: what happened since the last one, the introspector's notes on it, what
 * it learned. Called by the Checkpointer. It may write learnings, the working memory and the description, and nothing
 * else.
 *
 * The calls are in the name of the user whose turn is the newest: their budget, and the session's, hold for it too.
 */
import type { Agents, Answer, Introspection } from '../../agents/agent.ts'
import type { CallGate } from '../../agents/call-gate.ts'
import { countCalls } from '../../agents/count-calls.ts'
import type { AgentsFor } from '../../agents/create-agents.ts'
import { redactedAgents } from '../../agents/redacted-agents.ts'
import { checkBudget } from '../../audit/budget.ts'
import type { LiveConfig } from '../../config/config.ts'
import { summarisedChars } from '../../core/dialogue.ts'
import { recordCalls } from '../../core/turn-write.ts'
import { describeError } from '../../core/operator-failure.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { CALL_TEXTS } from '../../secrets/turn-texts.ts'
import type { Redactor } from '../../secrets/redaction.ts'
import {
  commitCheckpoint,
  type CheckpointOutcome,
  type CheckpointResult,
} from '../../store/knowledge/checkpoint-commit.ts'
import { dropCheckpoint, type CheckpointClaim } from '../../store/knowledge/checkpoints.ts'
import type { Database } from '../../store/database.ts'
import { loadSpan, type CheckpointSpan } from './load-span.ts'
import { newId } from '../../platform/id.ts'
import type { Embedder } from '../embeddings/embedder.ts'
import { scopeTaught } from '../reach-of-turn.ts'
import { currentUser } from '../../config/access/current-user.ts'
import { modeOf } from '../learnings/mode-of.ts'
import { enterLearning } from '../learnings/enter-learning.ts'

export interface CheckpointContext {
  readonly database: Database
  readonly config: LiveConfig
  readonly agentsFor: (own: AgentsFor) => Agents
  readonly embedder: Pick<Embedder, 'meaningOf'>
  readonly redactorOf: (sessionId: string) => Redactor
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

export interface CheckpointMade {
  /** Of the commit; none when there was nothing to do, or the claim no longer holds. */
  readonly events: readonly SessionEvent[]
  readonly learningIds: readonly string[]
}

const NOTHING: CheckpointMade = { events: [], learningIds: [] }
/** Who is named where no user is. */
const INTROSPECTOR = 'introspector'

/** Rejects with DATABASE_UNAVAILABLE, or for a bug; then the claim runs out, and the checkpoint is made again. */
export async function makeCheckpoint(
  context: CheckpointContext,
  claim: CheckpointClaim,
  signal: AbortSignal,
): Promise<CheckpointMade> {
  const { database, config, clock, logger, metrics } = context
  const { sessionId, reason } = claim
  const maxChars = summarisedChars(config.current().settings.contextTokens)
  const span = await loadSpan(database, { sessionId, maxChars })
  if (span === null) {
    await dropCheckpoint(database, claim)
    return NOTHING
  }
  const answer = await introspect(context, { sessionId, span, signal })
  const outcome = signal.aborted ? ({ kind: 'Stopped' } as const) : await outcomeOf(context, { claim, span, answer })
  const recorded = recordCalls(answer.calls, {
    sessionId,
    turnId: null,
    actor: span.userName ?? INTROSPECTOR,
    tokenName: null,
  })
  // Beyond what was redacted before, there is the system prompt, and an answer as it came.
  const redactor = context.redactorOf(sessionId)
  const texts = recorded.texts.map((said) => redactTexts(said, { id: 'kept', ...CALL_TEXTS }, redactor))
  const end = { outcome, calls: answer.calls, audit: recorded.entries, texts, at: clock.now() }
  const events = await commitCheckpoint(database, claim, end)
  countCalls(metrics, answer.calls)
  if (events.length === 0) return NOTHING
  metrics.checkpoints.inc({ reason, outcome: outcome.kind === 'Done' ? 'done' : 'failed' })
  logger.info({ sessionId, reason, ok: outcome.kind === 'Done' }, 'a checkpoint was made')
  return { events, learningIds: outcome.kind === 'Done' ? outcome.result.learnings.map(({ id }) => id) : [] }
}

/**
 * A bug ended it: it is tried again no sooner than after any other failure, or the model would be asked again and
 * again.
 */
export async function failCheckpoint(
  { database, clock }: Pick<CheckpointContext, 'database' | 'clock'>,
  claim: CheckpointClaim,
  failure: string,
): Promise<readonly SessionEvent[]> {
  const outcome = { kind: 'Failed', failure, againInMs: retryAfterMs(claim.failures, null) } as const
  return commitCheckpoint(database, claim, { outcome, calls: [], audit: [], texts: [], at: clock.now() })
}

interface IntrospectionInput {
  readonly sessionId: string
  readonly span: CheckpointSpan
  readonly signal: AbortSignal
}

/** Prompt and answer hold no secret that this process knows; secrets of other processes never got into the rows. */
function introspect(
  context: CheckpointContext,
  { sessionId, span, signal }: IntrospectionInput,
): Promise<Answer<Introspection>> {
  const { database, config, agentsFor, redactorOf } = context
  const gate: CallGate = (made) =>
    checkBudget(database, config.current(), { sessionId, userName: span.userName ?? INTROSPECTOR, made })
  const timeZone = span.timeZone ?? config.current().settings.timeZone
  return redactedAgents(agentsFor({ gate, timeZone }), () => redactorOf(sessionId)).introspect(span.context, signal)
}

interface Answered {
  readonly claim: CheckpointClaim
  readonly span: CheckpointSpan
  readonly answer: Answer<Introspection>
}

async function outcomeOf(context: CheckpointContext, { claim, span, answer }: Answered): Promise<CheckpointOutcome> {
  if (answer.kind === 'failed') {
    const { code, message, retryAfterMs: atLeastMs } = answer.error
    const failure = describeError(answer.error, claim.runId)
    context.logger.warn({ sessionId: claim.sessionId, runId: claim.runId, code, error: message }, 'checkpoint failed')
    return { kind: 'Failed', failure, againInMs: retryAfterMs(claim.failures, atLeastMs) }
  }
  const { workingMemory, description, learnings } = answer.output
  const { fromSeq, toSeq, turnCount } = span
  const kept = await siftLearnings(context, learnings, { ...span, sessionId: claim.sessionId })
  return { kind: 'Done', result: { fromSeq, toSeq, turnCount, workingMemory, description, learnings: kept } }
}

/**
 * After the first failure, the second …; after the last, only new activity in the session or a request makes it due
 * again, so a model that fails is not asked for ever.
 */
const PAUSES_MS: readonly number[] = [60_000, 300_000, 900_000, 3_600_000, 3_600_000]

/** Meanwhile nothing makes it due, and by then there may be another model; a budget begins anew within that time. */
const MAX_PAUSE_MS = 86_400_000

/** `failures` before this one. `atLeastMs`: how long the other side wants to be left alone. Null: it is given up. */
function retryAfterMs(failures: number, atLeastMs: number | null): number | null {
  const pauseMs = PAUSES_MS[failures]
  return pauseMs === undefined ? null : Math.max(pauseMs, Math.min(atLeastMs ?? 0, MAX_PAUSE_MS))
}

/** It was learned in no turn. */
const NO_TURN = ''

/**
 * As candidates that wait for the curator, or an admin, like those of reviews; what is unfit or known, as refused ones.
 * What is said twice is stored once.
 */
async function siftLearnings(
  { database, config, logger }: Pick<CheckpointContext, 'database' | 'config' | 'logger'>,
  texts: readonly string[],
  { sessionId, userName, userNames }: Pick<CheckpointSpan, 'userName' | 'userNames'> & { readonly sessionId: string },
): Promise<CheckpointResult['learnings']> {
  // It may be from any of them: it counts as taught by the one with the least say, and belongs to none of them alone.
  const other = userNames.find((name) => currentUser(config.current(), name)?.role !== 'ADMIN')
  const mode = modeOf(config.current(), 'CHECKPOINT', other ?? userName)
  const teacher = other !== undefined && userNames.length > 1 ? null : userName
  const scope = await scopeTaught(database, config.current(), { sessionId, userName: teacher })
  const kept = new Map<string, CheckpointResult['learnings'][number]>()
  for (const text of texts) {
    const entered = await enterLearning(database, {
      text,
      turnId: NO_TURN,
      source: 'CHECKPOINT',
      mode,
      scope,
      refusal: null,
    })
    if (entered === null || kept.has(entered.norm)) continue
    kept.set(entered.norm, { id: newId('learning'), userName: userNames.length > 1 ? null : userName, ...entered })
    const { status, reason } = entered.entry
    if (status === 'REFUSED') logger.info({ reason }, 'a learning of a checkpoint was refused')
  }
  return [...kept.values()]
}
