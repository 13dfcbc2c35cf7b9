/**
 * A session and all its rows are deleted, unless it is a group's or has work. The audit stays, and what model calls
 * cost with it; so do facts, which belong to all sessions, and the runs of schedules, which only lose their session.
 */
import type { ConversationType, SessionStatus } from '../../core/status.ts'
import { STATEMENT_TIMEOUT_MS, type Queryable } from '../database.ts'
import {
  ACCESS_INPUT,
  accessInput,
  hasWork,
  mayAct,
  mayReach,
  OPENER_INPUT,
  openerInput,
  type SessionAccess,
} from './intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit } from './intake-audit.ts'
import { intakeStatement } from './intake-statement.ts'
import { sql, type Sql } from '../sql.ts'

/** What was found; null when there is no such session for this caller. */
export interface DeletedSession {
  /** False: the caller sees the session, but did not open it. */
  readonly mayDelete: boolean
  /** False: that, or it is a GROUP or has work, and nothing was deleted. */
  readonly deleted: boolean
  readonly type: ConversationType
  readonly status: SessionStatus
  readonly queueLength: number
  /** Of the files that it had published. */
  readonly fileIds: readonly string[]
  readonly approvalIds: readonly string[]
}

/**
 * Deletes the rows alone: the workspace, the bytes of `fileIds` and the jobs of `approvalIds` are the caller's to
 * remove. On repeat null, as the session is gone.
 */
export async function deleteIdleSession(
  database: Queryable,
  access: SessionAccess,
  sessionId: string,
): Promise<DeletedSession | null> {
  const [row] = await DELETE<DeletedSession>(database, {
    session_id: sessionId,
    ...accessInput(access),
    ...openerInput(access),
    ...auditInput(access),
  })
  return row ?? null
}

/** SQL that is true when nothing but rights stands against deleting the session `s`. */
export function deletable(s: Sql): Sql {
  return sql`(${s}.source_type = 'DIRECT' AND NOT ${hasWork(s)})`
}

/**
 * Messages, turns, plans, tasks, events and participants go by cascade: a long log takes a while. The runs of a
 * schedule are found by the session's id (src/schedules/new-run.ts); one that is not settled yet loses its session when
 * it is (settleRun).
 */
const DELETE = intakeStatement(
  { name: 'intake.delete-session', timeoutMs: STATEMENT_TIMEOUT_MS },
  { session_id: 'text', ...ACCESS_INPUT, ...OPENER_INPUT, ...AUDIT_INPUT },
  sql`held AS MATERIALIZED (
    SELECT s.id, s.source_type, s.status, s.queue_length, ${mayAct(sql`s`)} AS may_act FROM input JOIN sessions s ON s.id = input.session_id
    WHERE ${mayReach(sql`s.id`)} FOR UPDATE OF s),
  gone AS (
    DELETE FROM sessions s USING held
    WHERE s.id = held.id AND held.may_act AND ${deletable(sql`held`)} RETURNING s.id),
  runs AS (
    UPDATE schedule_runs r SET session_id = NULL, message_id = NULL FROM gone
    WHERE gone.id LIKE 'schedule:%' AND r.schedule_id = split_part(substr(gone.id, 10), '.', 1)
      AND r.session_id = gone.id AND r.status <> 'RUNNING'),
  ${sessionAudit('DELETED', { from: sql`gone, input`, at: sql`now()` })}
  SELECT held.may_act AS "mayDelete", gone.id IS NOT NULL AS deleted, held.source_type AS type, held.status, held.queue_length AS "queueLength",
    ARRAY(SELECT f.id FROM published_files f WHERE f.session_id = held.id) AS "fileIds",
    ARRAY(SELECT a.id FROM approvals a WHERE a.session_id = held.id) AS "approvalIds"
  FROM held LEFT JOIN gone ON true`,
)
