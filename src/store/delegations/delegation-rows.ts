/**
 * Delegations as the delegator (src/delegation) sends, settles and closes them. What changes one locks the row of the
 * session that delegated first, as every writer of that session does, and writes its event in the same statement; it
 * does nothing when the delegation is no longer as it was read. So of all processes one acts.
 */
import type { ClientTrace } from '../../core/identity.ts'
import { WAITS_FOR_CHILDREN } from '../../core/tool/delegated.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { DelegationStatus, MessageStatus, SessionMode } from '../../core/status.ts'
import type { Database } from '../database.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { sql } from '../sql.ts'
import { traceOf, type TraceColumns } from '../trace-columns.ts'

/** One of which something is left to do, with what has become of the child's turn. */
export interface OpenDelegation {
  readonly id: string
  readonly sessionId: string
  readonly turnId: string
  readonly taskId: string
  /** The trace that the message of its turn came from. */
  readonly trace: ClientTrace | null
  readonly userName: string
  readonly tokenName: string
  readonly mode: SessionMode
  readonly task: string
  readonly expect: string
  readonly feedback: string | null
  readonly status: DelegationStatus
  readonly round: number
  readonly messageId: string
  readonly answered: boolean
  /** It was counted against what the user may delegate in a day. */
  readonly started: boolean
  readonly isOverdue: boolean
  /** It ended so long ago that no process still sends its message. */
  readonly isOld: boolean
  /** It failed, and its task does not say so yet. */
  readonly isUnseen: boolean
  /** The turn that delegated waits for what it has delegated, and does not know that it may go on. */
  readonly parentSleeps: boolean
  /** The parent's, for the child. */
  readonly timeZone: string | null
  /** Null: the message is not there. */
  readonly messageStatus: MessageStatus | null
  readonly turnFailure: string | null
  /** What the child's turn said last, when it has ended. */
  readonly said: string | null
}

const MAX_ANSWER_CHARS = 200_000
/** Longer than a statement may take to be answered (src/store/database.ts). */
const OLD_S = 15

/** The turn that delegated, `parent` in session `p`, waits for its children alone. */
const PARENT_SLEEPS = `p.owner IS NULL AND p.ready_at > now() AND parent.paused_at IS NOT NULL AND starts_with(parent.paused_reason, $2)`

const IS_OLD = `coalesce(d.finished_at <= now() - interval '${OLD_S} seconds', false)`
const IS_UNSEEN = `coalesce(d.status = 'FAILED' AND parent.status = 'RUNNING' AND task.status = 'RUNNING', false)`

/**
 * Those for which nothing can be done before the child, the turn that delegated or time has gone on are not among them:
 * they would take the places of others. A message that joined another turn is answered by that.
 */
const OPEN = {
  name: 'delegations.open',
  plansOnce: true,
  text: `SELECT d.id, d.session_id AS "sessionId", d.turn_id AS "turnId", d.task_id AS "taskId", d.user_name AS "userName", d.token_name AS "tokenName",
      d.mode, d.task, d.expect, d.feedback, d.status, d.round, d.message_id AS "messageId", d.answered,
      d.started_at IS NOT NULL AS started, d.expires_at <= now() AS "isOverdue",
      ${IS_OLD} AS "isOld", p.time_zone AS "timeZone", ${IS_UNSEEN} AS "isUnseen",
      coalesce(${PARENT_SLEEPS}, false) AS "parentSleeps",
      above.trace_parent, above.trace_state, m.status AS "messageStatus", t.failure AS "turnFailure",
      (SELECT left(string_agg(k.output, E'\\n\\n' ORDER BY k.id), ${MAX_ANSWER_CHARS}) FROM tasks k
        WHERE m.status = 'DONE' AND k.turn_id = coalesce(t.joined_into, t.id) AND k.type = 'MSG' AND k.status = 'DONE' AND k.final AND NOT k.suppressed) AS said
    FROM delegations d JOIN sessions p ON p.id = d.session_id
      LEFT JOIN turns parent ON parent.id = d.turn_id LEFT JOIN tasks task ON task.id = d.task_id LEFT JOIN messages above ON above.id = parent.message_id
      LEFT JOIN messages m ON m.id = d.message_id LEFT JOIN turns t ON t.message_id = m.id
    WHERE NOT d.closed AND CASE
      WHEN d.status = 'RUNNING' AND d.answered THEN ${PARENT_SLEEPS}
      WHEN d.status = 'RUNNING' THEN d.expires_at <= now() OR m.id IS NULL OR m.status IN ('DONE', 'FAILED', 'CANCELLED')
      WHEN d.status = 'PENDING' OR m.status IN ('QUEUED', 'PROCESSING') THEN true
      WHEN ${IS_UNSEEN} THEN ${PARENT_SLEEPS}
      ELSE m.id IS NOT NULL OR ${IS_OLD} END
    ORDER BY d.id LIMIT $1`,
}

/** Oldest first. */
export async function readOpenDelegations(database: Database, limit: number): Promise<OpenDelegation[]> {
  const rows = await database.query<Omit<OpenDelegation, 'trace'> & TraceColumns>(OPEN, [limit, WAITS_FOR_CHILDREN])
  return rows.map((row) => ({ ...row, trace: traceOf(row) }))
}

const COUNT = {
  name: 'delegations.count',
  text: `UPDATE delegations d SET started_at = now() WHERE d.id = $1 AND d.started_at IS NULL AND (
      SELECT count(*) FROM delegations o WHERE o.user_name = $2 AND o.started_at > now() - interval '24 hours') < $3 RETURNING d.id`,
}

/** False: the user has delegated as much as they may in 24 hours. Exact, whichever processes count. */
export function countDelegation(
  database: Database,
  { id, userName }: Pick<OpenDelegation, 'id' | 'userName'>,
  limit: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await transaction.query(LOCK_USER, [userName])
    const counted = await transaction.query(COUNT, [id, userName, limit])
    return counted.length > 0 || (await transaction.query(COUNTED, [id])).length > 0
  })
}

const LOCK_USER = {
  name: 'delegations.lock-user',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('delegations:' || $1, 0))`,
}
const COUNTED = {
  name: 'delegations.counted',
  text: 'SELECT id FROM delegations WHERE id = $1 AND started_at IS NOT NULL',
}

/** What becomes of one that is `was`, in this round. */
export interface DelegationChange {
  readonly status: Extract<DelegationStatus, 'RUNNING' | 'FAILED'>
  /** The child's session, once it is there. */
  readonly childId: string | null
  /** The round's; null: it has none. */
  readonly answer: string | null
  readonly failure: string | null
}

/**
 * Writes the change, with its event; an answer and a failure let the turn that waits go on. Null: it is no longer as it
 * was read. The event is still to be published, and a session that `isReady` to be rung for.
 */
export async function changeDelegation(
  database: Database,
  was: Pick<OpenDelegation, 'id' | 'status' | 'round'>,
  { status, childId, answer, failure }: DelegationChange,
): Promise<{ readonly event: SessionEvent; readonly isReady: boolean } | null> {
  const [row] = await CHANGE<ChangedRow>(database, {
    delegation_id: was.id,
    was: was.status,
    round: was.round,
    status,
    child_id: childId,
    answer,
    failure,
  })
  if (row === undefined) return null
  const { session_id: sessionId, turn_id: turnId, last_seq: seq, at, is_ready: isReady } = row
  return { event: { type: 'Delegation', delegationId: was.id, sessionId, turnId, seq, at }, isReady }
}

interface ChangedRow {
  readonly session_id: string
  readonly turn_id: string
  readonly last_seq: number
  readonly at: Date
  readonly is_ready: boolean
}

const CHANGE = intakeStatement(
  'delegations.change',
  {
    delegation_id: 'text',
    was: 'delegation_status',
    round: 'int',
    status: 'delegation_status',
    child_id: 'text',
    answer: 'text',
    failure: 'text',
  },
  sql`held AS MATERIALIZED (
    SELECT s.id, s.owner FROM input JOIN delegations d ON d.id = input.delegation_id JOIN sessions s ON s.id = d.session_id
    FOR UPDATE OF s),
  changed AS (
    UPDATE delegations d SET status = input.status, child_id = coalesce(input.child_id, d.child_id), answer = input.answer,
      answered = input.answer IS NOT NULL, failure = input.failure,
      finished_at = CASE WHEN input.status = 'FAILED' THEN now() ELSE d.finished_at END
    FROM held, input
    WHERE d.id = input.delegation_id AND d.session_id = held.id AND d.status = input.was AND d.round = input.round
      AND NOT d.answered
    RETURNING d.session_id, d.turn_id, d.answered OR d.status = 'FAILED' AS wakes),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + 1,
      ready_at = CASE WHEN changed.wakes AND held.owner IS NULL AND EXISTS (
          SELECT 1 FROM turns t WHERE t.id = changed.turn_id AND t.paused_at IS NOT NULL) THEN now() ELSE s.ready_at END
    FROM changed, held WHERE s.id = changed.session_id RETURNING s.id, s.last_seq, s.owner IS NULL AND s.ready_at <= now() AS is_ready),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT session.id, session.last_seq, now(), changed.turn_id, 'Delegation', jsonb_build_object('delegationId', input.delegation_id)
    FROM session, changed, input)
  SELECT changed.session_id, changed.turn_id, session.last_seq, session.is_ready, now() AS at FROM session, changed`,
)

const CLOSE = {
  name: 'delegations.close',
  text: `UPDATE delegations SET closed = true WHERE id = $1 AND status IN ('DONE', 'FAILED', 'CANCELLED')`,
}

/** Nothing is left to do for it. */
export async function closeDelegation(database: Database, id: string): Promise<void> {
  await database.query(CLOSE, [id])
}
