/**
 * A message that waits is edited or withdrawn. Both lock the session's row, then the turn's, as a worker does that
 * starts the turn: the second to come sees what the first did, so a message is either changed before its turn starts or
 * not at all.
 */
import type { SessionEventBody } from '../../core/session-event.ts'
import type { MessageStatus } from '../../core/status.ts'
import type { Database } from '../database.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit, type Actor } from './intake-audit.ts'
import { intakeStatement } from './intake-statement.ts'
import { sql, type Sql } from '../sql.ts'

/** A message as far as it decides who may change it; all but `status` never changes. */
export interface FoundMessage {
  readonly sessionId: string
  readonly userName: string | null
  readonly trusted: boolean
  readonly client: string
  /** It calls a tool. */
  readonly isCall: boolean
  readonly status: MessageStatus
}

/** The message of this id, or null when there is none that the caller may reach by rows. */
export async function findMessage(
  database: Database,
  access: SessionAccess,
  messageId: string,
): Promise<FoundMessage | null> {
  const [row] = await FIND<FoundMessage>(database, { message_id: messageId, ...accessInput(access) })
  return row ?? null
}

const FIND = intakeStatement(
  'intake.find-message',
  { message_id: 'text', ...ACCESS_INPUT },
  sql`message AS (SELECT m.* FROM input JOIN messages m ON m.id = input.message_id WHERE ${mayReach(sql`m.session_id`)})
  SELECT session_id AS "sessionId", user_name AS "userName", trusted, client, call IS NOT NULL AS "isCall", status FROM message`,
)

/** A message that is to be changed while it waits, and by whom. */
export interface QueuedMessage {
  readonly messageId: string
  readonly sessionId: string
  readonly at: Date
  readonly actor: Actor
}

/**
 * `seq` is that of the change's last event. A change of a message that does not wait any more is null: nothing was
 * written.
 */
export interface QueuedChange {
  readonly seq: number
  readonly turnId: string
}

const QUEUED_INPUT = { message_id: 'text', session_id: 'text', at: 'timestamptz', ...AUDIT_INPUT } as const

function queuedInput(message: QueuedMessage): Record<keyof typeof QUEUED_INPUT, unknown> {
  const { messageId, sessionId, at, actor } = message
  return { message_id: messageId, session_id: sessionId, at, ...auditInput(actor) }
}

function auditOf(change: 'MESSAGE_EDITED' | 'MESSAGE_WITHDRAWN'): Sql {
  return sessionAudit(change, {
    from: sql`session, input`,
    at: sql`input.at`,
    turnId: sql`session.turn_id`,
    detail: sql`input.message_id`,
  })
}

/** Replaces the content of a waiting message. */
export async function editWaiting(
  database: Database,
  message: QueuedMessage,
  { content, preview }: { content: string; preview: string },
): Promise<QueuedChange | null> {
  const [row] = await EDIT<QueuedChange>(database, { ...queuedInput(message), content, preview })
  return row ?? null
}

/**
 * The preview follows if the message is what was said last: nothing came after it in the statement's snapshot, and none
 * has been counted, and no preview changed, since.
 */
const EDIT = intakeStatement(
  'intake.edit-message',
  { ...QUEUED_INPUT, content: 'text', preview: 'text' },
  sql`held AS MATERIALIZED (
    SELECT s.id, s.message_count, s.last_message_preview FROM input JOIN sessions s ON s.id = input.session_id FOR UPDATE OF s),
  turn AS MATERIALIZED (
    SELECT t.id, t.seq, held.message_count, held.last_message_preview FROM held JOIN turns t ON t.session_id = held.id, input
    WHERE t.message_id = input.message_id AND t.status = 'QUEUED' FOR UPDATE OF t),
  place AS MATERIALIZED (
    SELECT turn.id, turn.message_count = (SELECT s.message_count FROM sessions s WHERE s.id = input.session_id)
      AND turn.last_message_preview IS NOT DISTINCT FROM
        (SELECT s.last_message_preview FROM sessions s WHERE s.id = input.session_id)
      AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = input.session_id AND e.seq > turn.seq
        AND e.type IN ('MessageReceived', 'TextCompleted')) AS newest
    FROM turn, input),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + 1,
      last_message_preview = CASE WHEN place.newest THEN input.preview ELSE s.last_message_preview END
    FROM place, input WHERE s.id = input.session_id RETURNING s.last_seq, place.id AS turn_id),
  message AS (UPDATE messages m SET content = input.content FROM session, input WHERE m.id = input.message_id),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.last_seq, input.at, session.turn_id, 'MessageUpdated',
      jsonb_build_object('messageId', input.message_id) FROM session, input),
  ${auditOf('MESSAGE_EDITED')}
  SELECT last_seq AS seq, turn_id AS "turnId" FROM session`,
)

/**
 * Takes a waiting message out of the queue: the message and its turn are CANCELLED. `events` tell of it, in this order.
 * A session that looked busy only because of this turn becomes IDLE.
 */
export async function withdrawWaiting(
  database: Database,
  message: QueuedMessage,
  events: readonly SessionEventBody[],
): Promise<QueuedChange | null> {
  const rows = events.map(({ type, ...data }) => ({ type, data }))
  const input = { ...queuedInput(message), events: JSON.stringify(rows), event_count: rows.length }
  const [row] = await WITHDRAW<QueuedChange>(database, input)
  return row ?? null
}

/**
 * All open turns are locked, to see whether one runs by now. A turn that came after the snapshot is missing among them,
 * but stands behind this one and so cannot run.
 */
const WITHDRAW = intakeStatement(
  'intake.withdraw-message',
  { ...QUEUED_INPUT, events: 'jsonb', event_count: 'int' },
  sql`held AS MATERIALIZED (SELECT s.id FROM input JOIN sessions s ON s.id = input.session_id FOR UPDATE OF s),
  open AS MATERIALIZED (
    SELECT t.id, t.message_id, t.status FROM held JOIN turns t ON t.session_id = held.id
    WHERE t.status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL') FOR UPDATE OF t),
  place AS MATERIALIZED (
    SELECT open.id, EXISTS (SELECT 1 FROM open WHERE status <> 'QUEUED') AS runs FROM open, input
    WHERE open.message_id = input.message_id AND open.status = 'QUEUED'),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + input.event_count, queue_length = s.queue_length - 1,
      status = CASE WHEN s.queue_length = 1 AND NOT place.runs THEN 'IDLE' ELSE s.status END,
      ready_at = CASE WHEN s.queue_length = 1 AND NOT place.runs AND s.owner IS NULL THEN NULL ELSE s.ready_at END,
      turn_user = CASE WHEN s.owner IS NOT NULL THEN s.turn_user END
    FROM place, input WHERE s.id = input.session_id RETURNING s.last_seq, place.id AS turn_id),
  turn AS (
    UPDATE turns t SET status = 'CANCELLED', step = 'COMPLETE', finished_at = input.at
    FROM session, input WHERE t.id = session.turn_id),
  message AS (UPDATE messages m SET status = 'CANCELLED' FROM session, input WHERE m.id = input.message_id),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT input.session_id, session.last_seq - input.event_count + e.n, input.at, session.turn_id, e.type, e.data
    FROM session, input, ROWS FROM (jsonb_to_recordset(input.events) AS (type text, data jsonb))
      WITH ORDINALITY AS e (type, data, n)),
  ${auditOf('MESSAGE_WITHDRAWN')}
  SELECT last_seq AS seq, turn_id AS "turnId" FROM session`,
)
