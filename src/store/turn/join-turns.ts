/**
 * A running turn takes waiting messages along: their turns become JOINED, in a commit of their own that is fenced by
 * the lease and tells of each. Called by src/turn/take-along.ts; which messages is the rule of
 * core/session/join-messages.ts. How they end is part of the write that ends the turn (turn-commit.sql.ts).
 */
import { AppError } from '../../core/errors.ts'
import type { JoinableMessage } from '../../core/session/join-messages.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { Database } from '../database.ts'
import type { Lease, TurnRef } from './lease.ts'

/** A message whose turn is QUEUED, as the rule for joining sees it. */
export interface WaitingMessage extends JoinableMessage {
  readonly turnId: string
  /** It is directed at the agent. */
  readonly addressed: boolean
}

/** Any more wait for a next time. */
const MAX_READ = 1000

/** The messages that wait in the session, in their order. */
export async function findWaiting(database: Database, sessionId: string): Promise<WaitingMessage[]> {
  return database.query<WaitingMessage>(WAITING, [sessionId])
}

const WAITING = {
  name: 'turn.waiting',
  plansOnce: true,
  text: `SELECT t.id AS "turnId", t.user_name AS "userName", m.client, octet_length(m.content) AS bytes, m.call IS NOT NULL AS "isCall",
      m.mentioned OR s.source_type <> 'GROUP' AS addressed
    FROM sessions s JOIN turns t ON t.session_id = s.id JOIN messages m ON m.id = t.message_id
    WHERE s.id = $1 AND t.status = 'QUEUED' ORDER BY t.seq LIMIT ${MAX_READ}`,
}

/** A message that a turn took along. */
export interface JoinedMessage {
  /** The turn that would have been its own. */
  readonly turnId: string
  readonly messageId: string
  readonly content: string
  readonly mentioned: boolean
  /** The plan that it broke off; 0: it joined before the first. */
  readonly attempt: number
  readonly joinedAt: Date
}

/** Which turns join, and during which attempt of the plan; 0: before the first. */
export interface Joining {
  readonly turnIds: readonly string[]
  readonly attempt: number
  readonly at: Date
}

/**
 * Those of `turnIds` that still wait join `turn`, as they are now; none when it is to be cancelled. Throws AppError
 * LEASE_LOST when another node has the session; then nothing was written.
 */
export async function joinTurns(
  database: Database,
  { lease, turn }: { readonly lease: Lease; readonly turn: TurnRef },
  { turnIds, attempt, at }: Joining,
): Promise<{ readonly joined: readonly JoinedMessage[]; readonly events: readonly SessionEvent[] }> {
  const values = [lease.sessionId, lease.node, lease.epoch, turn.id, turnIds, attempt, at]
  const rows = await database.query<Row>(JOIN, values)
  if (rows.length === 0) throw new AppError('LEASE_LOST', `the lease of session ${lease.sessionId} was lost`)
  const found = rows.filter((row): row is JoinedRow => row.seq !== null)
  const { sessionId } = lease
  return {
    joined: found.map(({ turnId, messageId, content, mentioned }) => ({
      turnId,
      messageId,
      content,
      mentioned,
      attempt,
      joinedAt: at,
    })),
    events: found.map(({ seq, turnId, messageId }) => ({
      type: 'MessageUpdated',
      messageId,
      seq,
      at,
      sessionId,
      turnId,
    })),
  }
}

interface JoinedRow {
  readonly seq: number
  readonly turnId: string
  readonly messageId: string
  readonly content: string
  readonly mentioned: boolean
}

/** One row without values: the lease holds, and nothing joined. */
type Row = JoinedRow | { readonly seq: null }

/**
 * The session's row is locked first. What has changed while this waited for the lock is seen as it is now: `own` and
 * `picked` read again the rows that they lock, and `message` returns what it updated. So no message joins a turn that
 * is to be cancelled: it may be what is to be done instead.
 */
const JOIN = {
  name: 'turn.join',
  plansOnce: true,
  text: `WITH fence AS MATERIALIZED (SELECT id FROM sessions WHERE id = $1 AND owner IS NOT DISTINCT FROM $2::int AND epoch = $3 FOR UPDATE),
    own AS MATERIALIZED (SELECT t.id FROM fence, turns t WHERE t.id = $4 AND NOT t.cancel_requested FOR UPDATE OF t),
    picked AS MATERIALIZED (SELECT t.id, t.seq, t.message_id FROM own, turns t
      WHERE t.session_id = $1 AND t.id = ANY($5::text[]) AND t.status = 'QUEUED' FOR UPDATE OF t),
    placed AS MATERIALIZED (SELECT id, message_id, row_number() OVER (ORDER BY seq)::int AS place FROM picked),
    turn AS (UPDATE turns t SET status = 'JOINED', step = 'RECEIVED', joined_into = $4, joined_attempt = $6, started_at = $7
      FROM placed WHERE t.id = placed.id),
    message AS (UPDATE messages m SET status = 'PROCESSING' FROM placed WHERE m.id = placed.message_id
      RETURNING m.id, m.content, m.mentioned),
    session AS (UPDATE sessions s SET last_seq = s.last_seq + joined.number, queue_length = s.queue_length - joined.number,
        last_activity_at = $7
      FROM (SELECT count(*)::int AS number FROM placed) joined WHERE s.id = $1 AND joined.number > 0
      RETURNING s.last_seq - joined.number AS base),
    event AS (INSERT INTO events (session_id, seq, at, turn_id, type, data)
      SELECT $1, session.base + placed.place, $7, placed.id, 'MessageUpdated', jsonb_build_object('messageId', placed.message_id)
      FROM session, placed)
    SELECT told.seq, told."turnId", told."messageId", told.content, told.mentioned
    FROM fence LEFT JOIN (SELECT session.base + placed.place AS seq, placed.id AS "turnId", message.id AS "messageId",
        message.content, message.mentioned
      FROM session, placed JOIN message ON message.id = placed.message_id) told ON true ORDER BY told.seq`,
}

/** What `turnId` has taken along, in order of the messages; for a turn that is continued. */
export async function loadJoined(database: Database, turnId: string): Promise<JoinedMessage[]> {
  return database.query<JoinedMessage>(JOINED, [turnId])
}

const JOINED = {
  name: 'turn.joined',
  plansOnce: true,
  text: `SELECT t.id AS "turnId", m.id AS "messageId", m.content, m.mentioned, t.joined_attempt AS attempt,
      t.started_at AS "joinedAt"
    FROM turns t JOIN messages m ON m.id = t.message_id
    WHERE t.joined_into = $1 AND t.status = 'JOINED' ORDER BY t.joined_attempt, t.seq`,
}
