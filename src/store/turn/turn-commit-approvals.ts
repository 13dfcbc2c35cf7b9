/**
 * The fragments of a turn's commit that ask for approvals, and that settle those which the turn no longer waits for.
 * Each hangs on `w_fence` (src/store/turn/turn-commit.ts).
 */
import type { NewApproval, SettledApproval } from '../../core/turn-write.ts'
import { newId } from '../../platform/id.ts'
import { INSERT_AUDIT } from '../audit-entries.ts'
import { FENCE, SETTLED_APPROVALS, TURN, fenced, type Bind, type Fenced } from './turn-commit-bind.ts'

/** Asks for approvals on behalf of the turn's user. Their ids must be new; times are UTC. */
export function approvalsSql(approvals: readonly NewApproval[], bind: Bind): Fenced {
  return fenced`INSERT INTO approvals (id, session_id, turn_id, task_id, user_name, kind, reason, created_at, expires_at)
    SELECT a.id, $1, $4, a."taskId", t.user_name, a.kind, a.reason, a."createdAt", a."expiresAt"
    FROM ${FENCE}, ${TURN} t, jsonb_to_recordset(${bind(JSON.stringify(approvals))}::jsonb)
      AS a (id text, "taskId" text, kind approval_kind, reason text, "createdAt" timestamptz, "expiresAt" timestamptz)`
}

/**
 * A decision that was committed while this waited for the session's lock stands: the row is read again once it is free.
 */
export function settledApprovalsSql(settled: readonly SettledApproval[], bind: Bind): Fenced {
  const rows = settled.map((one) => ({ ...one, auditId: newId('audit') }))
  return fenced`UPDATE approvals x SET status = a.status, decided_at = a.at
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(rows))}::jsonb)
      AS a (id text, status approval_status, at timestamptz, "auditId" text)
    WHERE x.id = a.id AND x.id = ANY(${bind(settled.map(({ id }) => id))}::text[]) AND x.status = 'PENDING'
    RETURNING x.id, x.task_id, x.status, a.at, a."auditId" AS audit_id`
}

/** Hangs on `w_settled_approvals`. Actor and token are null: the turn settled them, no user did. */
export function settledApprovalsAuditSql(): Fenced {
  return fenced`${INSERT_AUDIT}
    SELECT a.audit_id, a.at, 'APPROVAL', $1, $4, NULL, NULL, jsonb_build_object('approvalId', a.id, 'taskId', a.task_id,
      'status', a.status, 'scope', NULL, 'note', NULL, 'before', NULL, 'after', NULL) FROM ${SETTLED_APPROVALS} a`
}
