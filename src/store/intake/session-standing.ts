/**
 * What stands for or against doing something to a session, asked without doing it: the same pieces of SQL as in the
 * statements that act.
 */
import type { Database } from '../database.ts'
import { CHECKPOINT_STATE } from '../knowledge/checkpoints.ts'
import { sql } from '../sql.ts'
import { hasWork, mayAct, OPENER_INPUT, openerInput, type SessionAccess } from './intake-access.ts'
import { CANCELLABLE } from './intake-cancel-turn.ts'
import { deletable } from './intake-delete-session.ts'
import { intakeStatement } from './intake-statement.ts'

/** One session, as of the read. */
export interface SessionStanding {
  readonly id: string
  /** The caller opened it. */
  readonly isOpener: boolean
  readonly hasWork: boolean
  readonly isDeletable: boolean
  /** A request for a checkpoint would make one due. */
  readonly hasCheckpoint: boolean
  /** The turn that a cancellation would end. */
  readonly cancellableTurnId: string | null
}

/** Of those of the sessions that are there; whether the caller reaches them is not asked. */
export function readStandings(
  database: Database,
  access: SessionAccess,
  sessionIds: readonly string[],
): Promise<SessionStanding[]> {
  return STANDING<SessionStanding>(database, {
    session_ids: sessionIds,
    ...openerInput({ ...access, mustHaveOpened: true }),
  })
}

const STANDING = intakeStatement(
  'intake.session-standing',
  { session_ids: 'text[]', ...OPENER_INPUT },
  sql`standing AS (
    SELECT s.id, ${mayAct(sql`s`)} AS "isOpener", ${hasWork(sql`s`)} AS "hasWork", ${deletable(sql`s`)} AS "isDeletable",
      ${CHECKPOINT_STATE} = 'Due' AS "hasCheckpoint",
      (SELECT t.id FROM turns t WHERE t.session_id = s.id AND ${CANCELLABLE} LIMIT 1) AS "cancellableTurnId"
    FROM input JOIN sessions s ON s.id = ANY (input.session_ids))
  SELECT * FROM standing`,
)
