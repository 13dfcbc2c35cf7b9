/** Reads about approvals: what was approved for a session, and what is overdue. */
import type { Remembered } from '../../core/approval-policy.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { ApprovalKind, ApprovalStatus, TaskType } from '../../core/status.ts'
import type { Database } from '../database.ts'
import { mayReach, type SessionAccess, ACCESS_INPUT, accessInput } from '../intake/intake-access.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { sql } from '../sql.ts'

/** What was approved for the session of this user. */
export async function loadRemembered(
  database: Database,
  { sessionId, userName }: { readonly sessionId: string; readonly userName: string },
): Promise<Remembered[]> {
  const rows = await database.query<{ one: Remembered }>(REMEMBERED, [sessionId, userName])
  return rows.map((row) => row.one)
}

const REMEMBERED = {
  name: 'approvals.remembered',
  text: `SELECT one FROM approvals a, jsonb_array_elements(a.remembered) AS one
    WHERE a.session_id = $1 AND a.user_name = $2 AND a.remembered IS NOT NULL AND a.status = 'APPROVED'`,
}

/** An approval and what it was asked for, for who decides about it. */
export interface OpenApproval {
  readonly id: string
  readonly sessionId: string
  readonly turnId: string
  readonly kind: ApprovalKind
  readonly status: ApprovalStatus
  /** Whose turn it is. */
  readonly userName: string
  readonly isOverdue: boolean
  readonly fingerprint: string | null
  readonly task: {
    readonly id: string
    readonly type: TaskType
    readonly detail: string
    readonly skill: string | null
    readonly tool: string | null
    readonly args: JsonObject | null
  }
}

/** `namespace`: the session's id must begin with it. */
interface Reach {
  readonly access: SessionAccess
  readonly namespace: string | null
}

/** Null: there is none that the caller may see. */
export async function findApproval(database: Database, reach: Reach, approvalId: string): Promise<OpenApproval | null> {
  const [row] = await findApprovals(database, reach, [approvalId])
  return row ?? null
}

/** Those of them that the caller may see. */
export function findApprovals(
  database: Database,
  { access, namespace }: Reach,
  approvalIds: readonly string[],
): Promise<OpenApproval[]> {
  return FIND<OpenApproval>(database, { approval_ids: approvalIds, namespace, ...accessInput(access) })
}

const FIND = intakeStatement(
  'approvals.find',
  { approval_ids: 'text[]', namespace: 'text', ...ACCESS_INPUT },
  sql`visible AS (
    SELECT a.* FROM input JOIN approvals a ON a.id = ANY (input.approval_ids)
    WHERE ${mayReach(sql`a.session_id`)} AND (input.namespace IS NULL OR starts_with(a.session_id, input.namespace || ':')))
  SELECT a.id, a.session_id AS "sessionId", a.turn_id AS "turnId", a.kind, a.status, a.user_name AS "userName",
    a.expires_at <= now() AS "isOverdue", a.fingerprint,
    jsonb_build_object('id', t.id, 'type', t.type, 'detail', t.detail, 'skill', t.skill, 'tool', t.tool, 'args', t.args) AS task
  FROM visible a JOIN tasks t ON t.id = a.task_id`,
)

/** An approval that is still PENDING, as of the read. */
export interface UnsettledApproval {
  readonly id: string
  readonly sessionId: string
  readonly taskId: string
}

/**
 * Approvals that are open after their time is over, longest overdue first; last those of sessions that another
 * transaction holds at the moment, for which the others should not wait.
 */
export async function findOverdue(database: Database, limit: number): Promise<UnsettledApproval[]> {
  return database.query<UnsettledApproval>(OVERDUE, [limit])
}

const OVERDUE = {
  name: 'approvals.overdue',
  text: `WITH overdue AS (
      SELECT id, session_id, task_id, expires_at FROM approvals
      WHERE status = 'PENDING' AND expires_at <= now() ORDER BY expires_at LIMIT $1
    ), free AS (
      SELECT id FROM sessions WHERE id IN (SELECT session_id FROM overdue) FOR NO KEY UPDATE SKIP LOCKED
    )
    SELECT o.id, o.session_id AS "sessionId", o.task_id AS "taskId" FROM overdue o LEFT JOIN free f ON f.id = o.session_id
    ORDER BY f.id IS NULL, o.expires_at`,
}
