/**
 * The statements that begin the next open turn of a session (begin-turn.ts), from top to bottom; as PostgreSQL gets
 * them they stand in rendered/.
 */
import { intakeStatement } from '../intake/intake-statement.ts'
import { isListed } from '../nodes.ts'
import { sql, when, type Sql } from '../sql.ts'
import { HELD_INPUT, saidBeforeSql } from './turn-history.ts'
import { hasPlace, waitsLonger } from './user-share.ts'

/** Parameters of both statements. */
export const BEGIN_INPUT = {
  session_id: 'text',
  node: 'int',
  at: 'timestamptz',
  summarize_threshold: 'int',
  share: 'int',
  ...HELD_INPUT,
} as const

/**
 * The session's row is locked first. A turn that was withdrawn while this waited for the lock is still QUEUED in the
 * statement's snapshot, but `started` checks the row as it is now, and everything else hangs on `started`. Likewise the
 * content: `message` returns it as it is now, after an edit that this waited for.
 *
 * `claims`: of a free session, which the statement claims; only a turn that starts is begun so. Otherwise of one that
 * the node holds.
 */
const beginSql = ({ claims }: { readonly claims: boolean }): Sql => sql`fence AS (
    SELECT s.id, s.source_type, s.queue_length, s.busy_policy, s.time_zone, s.turn_user, s.ready_at
    FROM input JOIN sessions s ON s.id = input.session_id
    WHERE ${claims ? FREE : HELD} FOR UPDATE OF s),
  next AS (
    SELECT t.* FROM fence, input, turns t
    WHERE t.session_id = input.session_id AND t.status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL')
    ORDER BY t.seq LIMIT 1),
  starting AS MATERIALIZED (
    SELECT next.id FROM fence, next, input WHERE next.status = 'QUEUED' AND ${claims ? MAY_CLAIM : HAS_PLACE}),
  started AS (
    UPDATE turns t SET status = 'RUNNING', step = 'RECEIVED', started_at = input.at FROM starting, input
    WHERE t.id = starting.id AND t.status = 'QUEUED' RETURNING t.id, t.message_id, t.user_name),
  ${when(!claims, WOKEN)}message AS (
    UPDATE messages m SET status = 'PROCESSING' FROM started WHERE m.id = started.message_id RETURNING m.content),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + 2, queue_length = s.queue_length - 1, status = 'RUNNING',
      last_activity_at = input.at, turn_user = started.user_name${when(claims, sql`, owner = input.node, epoch = s.epoch + 1`)}
    FROM started, input WHERE s.id = input.session_id RETURNING s.last_seq, s.epoch),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.last_seq - 1, input.at, started.id, 'MessageUpdated',
      jsonb_build_object('messageId', started.message_id)
    FROM session, started, input
    UNION ALL
    SELECT input.session_id, session.last_seq, input.at, started.id, 'PipelineStep', '{"step": "RECEIVED", "detail": null}'
    FROM session, started, input)
  SELECT next.id, next.seq, next.message_id, next.user_name, next.mode, coalesce(message.content, m.content) AS content,
    m.call, m.role, m.created_at, fence.source_type, fence.queue_length, fence.busy_policy, fence.time_zone, m.mentioned,
    next.started_at, next.cancel_requested, next.step, next.failure, next.failure_detail, next.takeovers, m.client,
    next.model_calls, next.input_tokens, next.output_tokens, next.cached_tokens, next.cost, m.trace_parent, m.trace_state, session.last_seq, session.epoch, ${SAID_BEFORE} AS said_before,
    EXISTS (
      SELECT 1 FROM participants p WHERE p.session_id = input.session_id AND p.user_name = next.user_name) AS participates
  FROM fence, input, next JOIN messages m ON m.id = next.message_id LEFT JOIN session ON true LEFT JOIN message ON true
  WHERE session.last_seq IS NOT NULL${when(!claims, sql` OR next.status <> 'QUEUED'`)}`

const FREE = sql`s.owner IS NULL AND s.ready_at <= now() AND ${isListed(sql`input.node`)}`
/** Compared as no index can: see `commitSql`. */
const HELD = sql`s.owner IS NOT DISTINCT FROM input.node AND s.epoch = input.epoch`

const MAY_CLAIM = sql`NOT ${waitsLonger(sql`next.user_name`, sql`fence.ready_at`)}
      AND ${hasPlace(sql`next.user_name`, sql`input.share`)}`
/** The session has its place already, but for another user when that one's turn ended just now. */
const HAS_PLACE = sql`(next.user_name = fence.turn_user OR ${hasPlace(sql`next.user_name`, sql`input.share`)})`

/** A turn that waited without a worker runs again. */
const WOKEN = sql`woken AS (
    UPDATE turns t SET status = 'RUNNING', paused_at = NULL, paused_reason = NULL FROM next
    WHERE t.id = next.id AND next.status <> 'QUEUED' AND next.paused_at IS NOT NULL RETURNING t.session_id),
  awake AS (
    UPDATE sessions s SET status = 'RUNNING' FROM woken WHERE s.id = woken.session_id AND s.status = 'AWAITING_APPROVAL'),
  `

const SAID_BEFORE = saidBeforeSql({
  sessionId: sql`input.session_id`,
  turnId: sql`next.id`,
  seq: sql`next.seq`,
  summarizeThreshold: sql`input.summarize_threshold`,
})

/** Begins the next open turn under the lease of `input.node`; a turn that had been started before goes on. */
export const BEGIN = intakeStatement('queue.begin', { ...BEGIN_INPUT, epoch: 'int' }, beginSql({ claims: false }))

/** Claims a free session and begins its next turn, if that had not been started before and its user has a place. */
export const TAKE = intakeStatement('queue.take', BEGIN_INPUT, beginSql({ claims: true }))
