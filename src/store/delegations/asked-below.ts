/**
 * What the children of a turn ask people for, in the reason for which that turn waits: who follows the session that
 * delegated learns there, and nowhere else, that a decision is waited for in another one. The reason follows from the
 * rows, so that it is right after a restart, and whichever process writes it.
 */
import type { SessionEvent } from '../../core/session-event.ts'
import { ASKS_BELOW, WAITS_FOR_CHILDREN } from '../../core/tool/delegated.ts'
import type { Database } from '../database.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { sql } from '../sql.ts'

/** A turn that waits for its children, with a reason that is no longer right. */
export interface MisledTurn {
  readonly turnId: string
  readonly sessionId: string
  readonly was: string
  /** The reason as it is now. */
  readonly reason: string
  /** Then the last of them is given up. */
  readonly until: Date
}

/** Children of children are joined once: there are two levels (MAX_DEPTH). */
const MISLED = {
  name: 'delegations.misled',
  plansOnce: true,
  text: `SELECT * FROM (
      SELECT t.id AS "turnId", t.session_id AS "sessionId", t.paused_reason AS was, max(d.expires_at) AS until,
        split_part(t.paused_reason, $2, 1) || coalesce($2 || string_agg(DISTINCT a.id, ', ' ORDER BY a.id) || '.', '') AS reason
      FROM delegations d JOIN sessions p ON p.id = d.session_id JOIN turns t ON t.id = d.turn_id
        LEFT JOIN delegations below ON below.session_id = d.child_id AND NOT below.closed AND below.status = 'RUNNING'
        LEFT JOIN approvals a ON a.session_id IN (d.child_id, below.child_id) AND a.status = 'PENDING'
      WHERE NOT d.closed AND d.status = 'RUNNING' AND p.owner IS NULL AND t.status = 'RUNNING' AND t.paused_at IS NOT NULL
        AND starts_with(t.paused_reason, $1)
      GROUP BY t.id) paused
    WHERE reason <> was ORDER BY "turnId" LIMIT $3`,
}

/** No more than `limit`. */
export function readMisledTurns(database: Database, limit: number): Promise<MisledTurn[]> {
  return database.query<MisledTurn>(MISLED, [WAITS_FOR_CHILDREN, ASKS_BELOW, limit])
}

/** Writes the reason, with its event, which is still to be published. Null: the turn waits for that no longer. */
export async function writeReason(database: Database, turn: MisledTurn): Promise<SessionEvent | null> {
  const { turnId, sessionId, was, reason } = turn
  const until = turn.until.toISOString()
  const input = { turn_id: turnId, session_id: sessionId, was, reason, until }
  const [row] = await WRITE<{ readonly seq: number; readonly at: Date }>(database, input)
  return row === undefined ? null : { type: 'TurnPaused', reason, until, sessionId, turnId, ...row }
}

const WRITE = intakeStatement(
  'delegations.write-reason',
  { turn_id: 'text', session_id: 'text', was: 'text', reason: 'text', until: 'text' },
  sql`held AS MATERIALIZED (
    SELECT s.id FROM input JOIN sessions s ON s.id = input.session_id WHERE s.owner IS NULL FOR UPDATE OF s),
  turn AS (
    UPDATE turns t SET paused_reason = input.reason FROM held, input
    WHERE t.id = input.turn_id AND t.session_id = held.id AND t.status = 'RUNNING' AND t.paused_at IS NOT NULL
      AND t.paused_reason = input.was
    RETURNING t.id, t.session_id),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + 1 FROM turn WHERE s.id = turn.session_id RETURNING s.id, s.last_seq),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT session.id, session.last_seq, now(), turn.id, 'TurnPaused', jsonb_build_object('reason', input.reason, 'until', input.until)
    FROM session, turn, input)
  SELECT session.last_seq AS seq, now() AS at FROM session`,
)
