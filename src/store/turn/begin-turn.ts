/**
 * Takes the next open turn of a session: of a claimed one (`beginTurn`), or of a free one, which is claimed in the same
 * statement (`takeSession`; a message that finds its session idle does as much by itself:
 * src/store/intake/accept-message.ts). A QUEUED turn starts here, with its event; a RUNNING one was left by a node that
 * died or handed it over, and is continued, and so is one that awaited an approval. What was said before it comes
 * along: the planner, whom a turn asks first, then waits for no further read.
 */
import type { ClientTrace } from '../../core/identity.ts'
import type { HeldRows } from '../../core/dialogue.ts'
import type { Settings } from '../../config/config.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { BusyPolicy, ConversationType, MessageRole, PipelineStep, SessionMode } from '../../core/status.ts'
import type { DirectCall } from '../../core/tool/direct-call.ts'
import type { Usage } from '../../core/usage.ts'
import type { Database } from '../database.ts'
import { BEGIN, TAKE, type BEGIN_INPUT } from './begin-turn.sql.ts'
import type { Lease, TurnRef } from './lease.ts'
import { heldInput, withHeld, type SaidBefore, type SaidBeforeRow, type SaidLimits } from './turn-history.ts'
import { traceOf, type TraceColumns } from '../trace-columns.ts'

/** A turn that this node now runs, with its message and all that it needs before its first model call. */
export interface OpenTurn extends TurnRef {
  readonly userName: string
  readonly mode: SessionMode
  /** The user is a participant of the session. */
  readonly participates: boolean
  /** The token that brought the message. */
  readonly tokenName: string
  readonly content: string
  /** Of its sender, and when the message was written. */
  readonly role: MessageRole
  readonly writtenAt: Date
  /** The tool that the message calls; null: a model answers it. */
  readonly call: DirectCall | null
  readonly conversationType: ConversationType
  /** In a group: the message is directed at the agent. */
  readonly mentioned: boolean
  readonly startedAt: Date
  /** The turn had been started before: its rows say how far it came. */
  readonly resumed: boolean
  readonly cancelRequested: boolean
  /** The last step it came to, of a turn that had been started before. */
  readonly step: PipelineStep | null
  /** It had failed already, and the user was notified: only what follows is left to do. */
  readonly failure: string | null
  readonly failureDetail: string | null
  /** How often a process died while it ran this turn. */
  readonly takeovers: number
  /** What the turn has cost so far. */
  readonly usage: Usage
  readonly saidBefore: SaidBefore
  /** How many messages wait behind it. */
  readonly waiting: number
  /** The session's, when the turn began. */
  readonly busyPolicy: BusyPolicy
  /** In which its agents are told times; null: the configuration's. */
  readonly timeZone: string | null
  /** The trace that its message came from. */
  readonly trace: ClientTrace | null
}

/**
 * `events`: that the message waits no more, and the RECEIVED step, when the turn started with this statement; none when
 * it was continued. They are committed, and still to be published.
 */
export interface BegunTurn {
  readonly kind: 'Begun'
  readonly turn: OpenTurn
  readonly events: readonly SessionEvent[]
}

type BeginOutcome =
  | BegunTurn
  /** No open turn, no place left in its user's share, or the lease is gone: release, which tells. */
  | { readonly kind: 'Nothing' }

/** A session that was free, now claimed, with its first turn under way. */
export interface TakenSession {
  readonly lease: Lease
  readonly begun: BegunTurn
}

/** What a statement that begins a turn needs besides the session. */
export interface Beginning {
  /** The time of the RECEIVED step, should the turn start here. */
  readonly at: Date
  readonly limits: TurnLimits
  /** What this process holds of what was said; null: nothing. */
  readonly held?: HeldRows | null
}

/** How much of what was said before comes along, and how many turns of one user may run. */
export type TurnLimits = SaidLimits & Pick<Settings, 'maxRunningPerUser'>

/**
 * Takes the session's next open turn under `lease`, in one statement. A second call returns the turn that runs, as
 * `resumed` and without events. Rejects with DATABASE_UNAVAILABLE: the turn may have begun even so, and the next call
 * returns it.
 */
export async function beginTurn(database: Database, lease: Lease, beginning: Beginning): Promise<BeginOutcome> {
  const [row] = await BEGIN<Row>(database, { ...inputOf(lease, beginning), epoch: lease.epoch })
  return row === undefined ? { kind: 'Nothing' } : begun(lease.sessionId, row, beginning)
}

/**
 * Claims a free session and starts its next turn, in one round trip. Null when there is nothing to start this way: the
 * session is not free, its next turn had been started before, or others of its user have waited longer. `claimSessions`
 * finds what is left.
 */
export async function takeSession(
  database: Database,
  free: { readonly sessionId: string; readonly node: number },
  beginning: Beginning,
): Promise<TakenSession | null> {
  const { sessionId, node } = free
  const [row] = await TAKE<Row & { epoch: number }>(database, inputOf(free, beginning))
  return row === undefined
    ? null
    : { lease: { sessionId, node, epoch: row.epoch }, begun: begun(sessionId, row, beginning) }
}

function inputOf(
  { sessionId, node }: Pick<Lease, 'sessionId' | 'node'>,
  { at, limits, held = null }: Beginning,
): Record<keyof typeof BEGIN_INPUT, unknown> {
  return {
    session_id: sessionId,
    node,
    at,
    summarize_threshold: limits.summarizeThreshold,
    share: limits.maxRunningPerUser,
    ...heldInput(held),
  }
}

function begun(sessionId: string, row: Row, { at, held = null }: Beginning): BegunTurn {
  const turn: OpenTurn = {
    id: row.id,
    seq: row.seq,
    messageId: row.message_id,
    userName: row.user_name,
    mode: row.mode,
    participates: row.participates,
    tokenName: row.client,
    content: row.content,
    role: row.role,
    writtenAt: row.created_at,
    call: row.call,
    conversationType: row.source_type,
    mentioned: row.mentioned,
    startedAt: row.started_at ?? at,
    resumed: row.last_seq === null,
    cancelRequested: row.cancel_requested,
    step: row.step,
    failure: row.failure,
    failureDetail: row.failure_detail,
    takeovers: row.takeovers,
    usage: {
      calls: row.model_calls,
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cachedTokens: Number(row.cached_tokens),
      cost: row.cost,
    },
    saidBefore: withHeld(row.said_before, held),
    waiting: row.queue_length - (row.last_seq === null ? 0 : 1),
    busyPolicy: row.busy_policy,
    timeZone: row.time_zone,
    trace: traceOf(row),
  }
  if (row.last_seq === null) return { kind: 'Begun', turn, events: [] }
  const place = { sessionId, turnId: row.id, at }
  const message: SessionEvent = { ...place, type: 'MessageUpdated', messageId: row.message_id, seq: row.last_seq - 1 }
  return { kind: 'Begun', turn, events: [message, receivedEvent({ ...place, seq: row.last_seq })] }
}

/** What the statement that starts a turn tells of it. */
export function receivedEvent(of: Pick<SessionEvent, 'sessionId' | 'turnId' | 'seq' | 'at'>): SessionEvent {
  return { ...of, type: 'PipelineStep', step: 'RECEIVED', detail: null }
}

interface Row extends TraceColumns {
  id: string
  seq: number
  message_id: string
  user_name: string
  mode: SessionMode
  participates: boolean
  content: string
  role: MessageRole
  created_at: Date
  call: DirectCall | null
  source_type: ConversationType
  /** With this turn, if it starts here. */
  queue_length: number
  busy_policy: BusyPolicy
  time_zone: string | null
  mentioned: boolean
  started_at: Date | null
  cancel_requested: boolean
  step: PipelineStep | null
  failure: string | null
  failure_detail: string | null
  takeovers: number
  client: string
  model_calls: number
  input_tokens: string
  output_tokens: string
  cached_tokens: string
  cost: number | null
  said_before: SaidBeforeRow
  /** The seq of the RECEIVED event; null when the turn had been started before. */
  last_seq: number | null
}
