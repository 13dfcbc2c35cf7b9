/**
 * Takes the next open turn of a session: of a claimed one (`beginTurn`), or of a free one, which is claimed in the same
 * statement (`takeSession`; a message that finds its session idle does as much by itself: begin-with-message.ts). A
 * QUEUED turn starts here, with its event; a RUNNING one was left by a node that died or handed it over, and is
 * continued, and so is one that awaited an approval. What was said before it comes along: the planner, whom a turn asks
 * first, then waits for no further read.
 */
import type { Settings } from '../../config/config.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { BusyPolicy, ConversationType, PipelineStep } from '../../core/status.ts'
import type { Usage } from '../../core/usage.ts'
import type { Database } from '../database.ts'
import { isListed } from '../nodes.ts'
import type { Lease, TurnRef } from './turn-commit.ts'
import { saidBeforeSql, type SaidBefore, type SaidLimits } from './turn-history.ts'
import { hasPlace, waitsLonger } from './user-share.ts'

/** A turn that this node now runs, with its message and all that it needs before its first model call. */
export interface OpenTurn extends TurnRef {
  readonly userName: string
  /** The user is a participant of the session. */
  readonly participates: boolean
  /** The token that brought the message. */
  readonly tokenName: string
  readonly content: string
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
}

/** How much of what was said before comes along, and how many turns of one user may run. */
export type TurnLimits = SaidLimits & Pick<Settings, 'maxRunningPerUser'>

/**
 * Takes the session's next open turn under `lease`, in one statement. A second call returns the turn that runs, as
 * `resumed` and without events. Rejects with DATABASE_UNAVAILABLE: the turn may have begun even so, and the next call
 * returns it.
 */
export async function beginTurn(database: Database, lease: Lease, { at, limits }: Beginning): Promise<BeginOutcome> {
  const values = [lease.sessionId, lease.node, at, ...valuesOf(limits), lease.epoch]
  const [row] = await database.query<Row>(BEGIN, values)
  return row === undefined ? { kind: 'Nothing' } : begun(lease.sessionId, row, at)
}

/**
 * Claims a free session and starts its next turn, in one round trip. Null when there is nothing to start this way: the
 * session is not free, its next turn had been started before, or others of its user have waited longer. `claimSessions`
 * finds what is left.
 */
export async function takeSession(
  database: Database,
  free: { readonly sessionId: string; readonly node: number },
  { at, limits }: Beginning,
): Promise<TakenSession | null> {
  const { sessionId, node } = free
  const values = [sessionId, node, at, ...valuesOf(limits)]
  const [row] = await database.query<Row & { epoch: number }>(TAKE, values)
  return row === undefined ? null : { lease: { sessionId, node, epoch: row.epoch }, begun: begun(sessionId, row, at) }
}

function valuesOf(limits: TurnLimits): number[] {
  return [limits.summarizeThreshold, limits.knowledgeMaxFacts, limits.maxRunningPerUser]
}

function begun(sessionId: string, row: Row, at: Date): BegunTurn {
  const turn: OpenTurn = {
    id: row.id,
    seq: row.seq,
    messageId: row.message_id,
    userName: row.user_name,
    participates: row.participates,
    tokenName: row.client,
    content: row.content,
    conversationType: row.source_type,
    mentioned: row.mentioned,
    startedAt: row.started_at ?? at,
    resumed: row.last_seq === null,
    cancelRequested: row.cancel_requested,
    step: row.step,
    failure: row.failure,
    takeovers: row.takeovers,
    usage: {
      calls: row.model_calls,
      inputTokens: Number(row.input_tokens),
      outputTokens: Number(row.output_tokens),
      cachedTokens: Number(row.cached_tokens),
      cost: row.cost,
    },
    saidBefore: row.said_before,
    waiting: row.queue_length - (row.last_seq === null ? 0 : 1),
    busyPolicy: row.busy_policy,
    timeZone: row.time_zone,
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

interface Row {
  id: string
  seq: number
  message_id: string
  user_name: string
  participates: boolean
  content: string
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
  takeovers: number
  client: string
  model_calls: number
  input_tokens: string
  output_tokens: string
  cached_tokens: string
  cost: number | null
  said_before: SaidBefore
  /** The seq of the RECEIVED event; null when the turn had been started before. */
  last_seq: number | null
}

const SAID_BEFORE = saidBeforeSql({
  sessionId: '$1',
  turnId: 'next.id',
  seq: 'next.seq',
  summarizeThreshold: '$4',
  knowledgeMaxFacts: '$5',
})

/**
 * The session's row is locked first. A turn that was withdrawn while this waited for the lock is still QUEUED in the
 * statement's snapshot, but `started` checks the row as it is now, and everything else hangs on `started`. Likewise the
 * content: `message` returns it as it is now, after an edit that this waited for.
 */
function beginSql({
  fence,
  mayBegin,
  wakes = '',
  claim = '',
  answer,
}: {
  fence: string
  /** Whether the user of the turn `next` has a place for it. */
  mayBegin: string
  /** CTEs, each with a comma behind it, that make a turn that waited a running one. */
  wakes?: string
  claim?: string
  answer: string
}): string {
  return `WITH fence AS (SELECT id, source_type, queue_length, busy_policy, time_zone, turn_user, ready_at FROM sessions WHERE id = $1 AND ${fence} FOR UPDATE),
    next AS (SELECT t.* FROM fence, turns t WHERE t.session_id = $1 AND t.status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL') ORDER BY t.seq LIMIT 1),
    starting AS MATERIALIZED (SELECT next.id FROM fence, next WHERE next.status = 'QUEUED' AND ${mayBegin}),
    started AS (UPDATE turns t SET status = 'RUNNING', step = 'RECEIVED', started_at = $3 FROM starting
      WHERE t.id = starting.id AND t.status = 'QUEUED' RETURNING t.id, t.message_id, t.user_name),
    ${wakes}message AS (UPDATE messages m SET status = 'PROCESSING' FROM started WHERE m.id = started.message_id RETURNING m.content),
    session AS (UPDATE sessions s SET last_seq = s.last_seq + 2, queue_length = s.queue_length - 1, status = 'RUNNING',
      last_activity_at = $3, turn_user = started.user_name${claim} FROM started WHERE s.id = $1 RETURNING s.last_seq, s.epoch),
    event AS (INSERT INTO events (session_id, seq, at, turn_id, type, data)
      SELECT $1, session.last_seq - 1, $3, started.id, 'MessageUpdated', jsonb_build_object('messageId', started.message_id)
      FROM session, started
      UNION ALL
      SELECT $1, session.last_seq, $3, started.id, 'PipelineStep', '{"step": "RECEIVED", "detail": null}' FROM session, started)
    SELECT next.id, next.seq, next.message_id, next.user_name, coalesce(message.content, m.content) AS content,
      fence.source_type, fence.queue_length, fence.busy_policy, fence.time_zone, m.mentioned, next.started_at, next.cancel_requested, next.step, next.failure, next.takeovers, m.client, next.model_calls, next.input_tokens, next.output_tokens,
      next.cached_tokens, next.cost, session.last_seq, session.epoch, ${SAID_BEFORE} AS said_before,
      EXISTS (SELECT 1 FROM participants p WHERE p.session_id = $1 AND p.user_name = next.user_name) AS participates
    FROM fence, next JOIN messages m ON m.id = next.message_id LEFT JOIN session ON true LEFT JOIN message ON true
    WHERE ${answer}`
}

const BEGIN = {
  name: 'queue.begin',
  text: beginSql({
    fence: 'owner = $2 AND epoch = $7',
    // The session has its place already, but for another user when that one's turn ended just now.
    mayBegin: `(next.user_name = fence.turn_user OR ${hasPlace('next.user_name', '$6')})`,
    wakes: `woken AS (UPDATE turns t SET status = 'RUNNING', paused_at = NULL, paused_reason = NULL FROM next
        WHERE t.id = next.id AND next.status <> 'QUEUED' AND next.paused_at IS NOT NULL RETURNING t.id),
      awake AS (UPDATE sessions s SET status = 'RUNNING' FROM woken WHERE s.id = $1 AND s.status = 'AWAITING_APPROVAL'),
    `,
    answer: `next.status <> 'QUEUED' OR session.last_seq IS NOT NULL`,
  }),
}

const TAKE = {
  name: 'queue.take',
  text: beginSql({
    fence: `owner IS NULL AND ready_at <= now() AND ${isListed('$2')}`,
    mayBegin: `NOT ${waitsLonger('next.user_name', 'fence.ready_at')} AND ${hasPlace('next.user_name', '$6')}`,
    claim: ', owner = $2, epoch = s.epoch + 1',
    answer: 'session.last_seq IS NOT NULL',
  }),
}
