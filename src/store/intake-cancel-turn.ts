/** A running turn is asked to end. The wish is a row, so a node that takes the turn over honours it too. */
import type { Database } from './database.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from './intake-access.ts'
import { intakeStatement } from './intake-statement.ts'

export type CancelResult =
  | { readonly kind: 'Requested'; readonly turnId: string }
  | { readonly kind: 'NothingRuns' }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }

export async function requestCancel(
  database: Database,
  access: SessionAccess,
  sessionId: string,
): Promise<CancelResult> {
  const [row] = await CANCEL<{ turn_id: string | null }>(database, { session_id: sessionId, ...accessInput(access) })
  if (row === undefined) return { kind: 'NoSession' }
  return row.turn_id === null ? { kind: 'NothingRuns' } : { kind: 'Requested', turnId: row.turn_id }
}

/** A turn that ends meanwhile is not touched: the update looks at its status again once the row is free. */
const CANCEL = intakeStatement(
  'intake.cancel-turn',
  { session_id: 'text', ...ACCESS_INPUT },
  `session AS (
    SELECT s.id FROM input JOIN sessions s ON s.id = input.session_id WHERE ${mayReach('s.id')}),
  turn AS (
    UPDATE turns t SET cancel_requested = true FROM session
    WHERE t.session_id = session.id AND t.status = 'RUNNING' RETURNING t.id)
  SELECT turn.id AS turn_id FROM session LEFT JOIN turn ON true`,
)
