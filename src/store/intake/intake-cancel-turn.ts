/** A running turn is asked to end. The wish is a row, so a node that takes the turn over honours it too. */
import type { Database } from '../database.ts'
import {
  ACCESS_INPUT,
  accessInput,
  mayAct,
  mayReach,
  OPENER_INPUT,
  openerInput,
  type SessionAccess,
} from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit } from './intake-audit.ts'
import { intakeStatement } from './intake-statement.ts'
import { sql } from '../sql.ts'

type CancelResult =
  /** `ready`: the turn waited without a worker; its session now has work. */
  | { readonly kind: 'Requested'; readonly turnId: string; readonly ready: boolean }
  | { readonly kind: 'NothingRuns' }
  /** The caller sees the session, but did not open it. */
  | { readonly kind: 'NotOpener' }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }

/** What is to end. */
export interface CancelledTurn {
  readonly sessionId: string
  /** Which is meant, when another may run by now; null: the one that runs. */
  readonly turnId: string | null
}

/**
 * Marks the turn that runs or awaits an approval. Does not wait for its end, and notifies no process: the caller rings
 * the doorbell. On repeat the result is the same, and no second audit entry is written.
 */
export async function requestCancel(
  database: Database,
  access: SessionAccess,
  { sessionId, turnId }: CancelledTurn,
): Promise<CancelResult> {
  const [row] = await CANCEL<{ may_act: boolean; turn_id: string | null; ready: boolean }>(database, {
    session_id: sessionId,
    turn_id: turnId,
    ...accessInput(access),
    ...openerInput(access),
    ...auditInput(access),
  })
  if (row === undefined) return { kind: 'NoSession' }
  if (!row.may_act) return { kind: 'NotOpener' }
  return row.turn_id === null ? { kind: 'NothingRuns' } : { kind: 'Requested', turnId: row.turn_id, ready: row.ready }
}

/** A condition on a turn `t`: it is the one that a cancellation of its session ends. */
export const CANCELLABLE = sql`t.status IN ('RUNNING', 'AWAITING_APPROVAL')`

/**
 * A turn that ends meanwhile is not touched: its status is read again once the row is free. The session's row is locked
 * first, as by every statement that writes to both; a turn that waits without a worker is paused under that lock, so
 * either this sees it waiting, or the write that pauses it sees that it is cancelled. Both are read from the locked
 * rows: the update itself would see the session as it was before.
 */
const CANCEL = intakeStatement(
  'intake.cancel-turn',
  { session_id: 'text', turn_id: 'text', ...ACCESS_INPUT, ...OPENER_INPUT, ...AUDIT_INPUT },
  sql`session AS MATERIALIZED (
    SELECT s.id, s.owner, ${mayAct(sql`s`)} AS may_act FROM input JOIN sessions s ON s.id = input.session_id WHERE ${mayReach(sql`s.id`)} FOR UPDATE OF s),
  running AS MATERIALIZED (
    SELECT t.id, t.cancel_requested, t.paused_at FROM input, session JOIN turns t ON t.session_id = session.id
    WHERE session.may_act AND ${CANCELLABLE} AND (input.turn_id IS NULL OR t.id = input.turn_id) FOR UPDATE OF t),
  turn AS (UPDATE turns t SET cancel_requested = true FROM running WHERE t.id = running.id),
  ready AS (
    UPDATE sessions s SET ready_at = now(), turn_user = NULL FROM session, running
    WHERE s.id = session.id AND session.owner IS NULL AND running.paused_at IS NOT NULL RETURNING s.id),
  ${sessionAudit('TURN_CANCELLED', { from: sql`running, input WHERE NOT running.cancel_requested`, at: sql`now()`, turnId: sql`running.id` })}
  SELECT session.may_act, running.id AS turn_id, ready.id IS NOT NULL AS ready FROM session LEFT JOIN running ON true LEFT JOIN ready ON true`,
)
