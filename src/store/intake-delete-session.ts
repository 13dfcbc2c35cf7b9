/** A session and all its rows are deleted, unless it is a group's or has work. The audit stays, and what model calls cost with it. */
import type { ConversationType, SessionStatus } from '../core/status.ts'
import { STATEMENT_TIMEOUT_MS, type Database } from './database.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit } from './intake-audit.ts'
import { intakeStatement } from './intake-statement.ts'

/** What was found; null when there is no such session for this caller. */
export interface DeletedSession {
  /** False: it is a GROUP or has work, and nothing was deleted. */
  readonly deleted: boolean
  readonly type: ConversationType
  readonly status: SessionStatus
  readonly queueLength: number
  /** Of the files that it had published. */
  readonly fileIds: readonly string[]
}

export async function deleteIdleSession(
  database: Database,
  access: SessionAccess,
  sessionId: string,
): Promise<DeletedSession | null> {
  const [row] = await DELETE<DeletedSession>(database, {
    session_id: sessionId,
    ...accessInput(access),
    ...auditInput(access),
  })
  return row ?? null
}

/** Messages, turns, plans, tasks, events and participants go by cascade: a long log takes a while. */
const DELETE = intakeStatement(
  { name: 'intake.delete-session', timeoutMs: STATEMENT_TIMEOUT_MS },
  { session_id: 'text', ...ACCESS_INPUT, ...AUDIT_INPUT },
  `held AS MATERIALIZED (
    SELECT s.id, s.source_type, s.status, s.queue_length FROM input JOIN sessions s ON s.id = input.session_id
    WHERE ${mayReach('s.id')} FOR UPDATE OF s),
  gone AS (
    DELETE FROM sessions s USING held
    WHERE s.id = held.id AND held.source_type = 'DIRECT'
      AND held.status NOT IN ('RUNNING', 'AWAITING_APPROVAL') AND held.queue_length = 0 RETURNING s.id),
  ${sessionAudit('DELETED', { from: 'gone, input', at: 'now()' })}
  SELECT gone.id IS NOT NULL AS deleted, held.source_type AS type, held.status, held.queue_length AS "queueLength",
    ARRAY(SELECT f.id FROM published_files f WHERE f.session_id = held.id) AS "fileIds"
  FROM held LEFT JOIN gone ON true`,
)
