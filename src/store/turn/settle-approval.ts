/**
 * An approval is decided about, or its time is over: once, by the first to commit, in any process. Everything that
 * follows from it is in the same statement: the task may run (with what it was changed to, which a provider that keeps
 * the conversation does not know), the events, the audit, and the session has work again when nothing else is open.
 * The session's row is locked first, as by every statement that writes to the session.
 */
import type { Remembered } from '../../core/approval-policy.ts'
import type { AuditBody } from '../../core/audit-entry.ts'
import type { SessionEvent } from '../../core/session-event.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { ApprovalScope } from '../../core/status.ts'
import { newId } from '../../platform/id.ts'
import { INSERT_AUDIT } from '../audit-entries.ts'
import type { Database } from '../database.ts'
import { ACCESS_INPUT, accessInput, mayReach, type SessionAccess } from '../intake/intake-access.ts'
import { AUDIT_INPUT } from '../intake/intake-audit.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { sql } from '../sql.ts'

/** A decision about one approval, by a person or by the time. */
export interface ApprovalDecision {
  readonly approvalId: string
  /** EXPIRED needs that its time is over, the others that it is not. */
  readonly status: 'APPROVED' | 'DENIED' | 'EXPIRED'
  /** The user; null with EXPIRED. */
  readonly decidedBy: string | null
  readonly tokenName: string | null
  readonly at: Date
  readonly note: string | null
  readonly scope: ApprovalScope | null
  readonly remembered: readonly Remembered[] | null
  /** With APPROVED: what the task does instead. */
  readonly edit: {
    readonly detail: string | null
    readonly args: JsonObject | null
    /** Of the call that it becomes. */
    readonly fingerprint: string | null
  } | null
  readonly audit: Omit<Extract<AuditBody, { kind: 'APPROVAL' }>, 'kind'>
}

/**
 * What `settleApproval` committed; the events are still to be published, and a session that `isReady` is still to be
 * rung for.
 */
export interface SettledNow {
  readonly events: readonly SessionEvent[]
  /** The session has work. */
  readonly isReady: boolean
}

/** Null: it was settled before, or there is none that the caller may reach. */
export async function settleApproval(
  database: Database,
  access: Pick<SessionAccess, 'all' | 'userName'>,
  decision: ApprovalDecision,
): Promise<SettledNow | null> {
  const { approvalId, status, decidedBy, tokenName, at, note, scope, remembered, edit, audit } = decision
  const [row] = await SETTLE<Row>(database, {
    approval_id: approvalId,
    status,
    decided_by: decidedBy,
    at,
    note,
    scope,
    remembered: remembered === null ? null : JSON.stringify(remembered),
    detail: edit?.detail ?? null,
    args: edit?.args == null ? null : JSON.stringify(edit.args),
    fingerprint: edit?.fingerprint ?? null,
    audit_data: JSON.stringify(audit),
    ...accessInput(access),
    audit_id: newId('audit'),
    audit_actor: decidedBy,
    audit_token: tokenName,
  })
  return row === undefined ? null : { events: eventsOf(row, { approvalId, at }), isReady: row.is_ready }
}

interface Row {
  readonly session_id: string
  readonly turn_id: string
  readonly task_id: string
  readonly status: string
  readonly last_seq: number
  readonly is_ready: boolean
}

/** As the statement wrote them: the approval, and with APPROVED the task that may run now. */
function eventsOf(row: Row, { approvalId, at }: { readonly approvalId: string; readonly at: Date }): SessionEvent[] {
  const frame = { at, sessionId: row.session_id, turnId: row.turn_id }
  if (row.status !== 'APPROVED') return [{ ...frame, seq: row.last_seq, type: 'Approval', approvalId }]
  return [
    { ...frame, seq: row.last_seq - 1, type: 'Approval', approvalId },
    { ...frame, seq: row.last_seq, type: 'TaskUpdate', taskId: row.task_id, status: 'PENDING' },
  ]
}

const SETTLE = intakeStatement(
  'approvals.settle',
  {
    approval_id: 'text',
    status: 'approval_status',
    decided_by: 'text',
    at: 'timestamptz',
    note: 'text',
    scope: 'approval_scope',
    remembered: 'jsonb',
    detail: 'text',
    args: 'jsonb',
    fingerprint: 'text',
    audit_data: 'jsonb',
    ...ACCESS_INPUT,
    ...AUDIT_INPUT,
  },
  sql`held AS MATERIALIZED (
    SELECT s.id FROM input JOIN approvals a ON a.id = input.approval_id JOIN sessions s ON s.id = a.session_id
    WHERE ${mayReach(sql`s.id`)} FOR UPDATE OF s),
  settled AS (
    UPDATE approvals a SET status = input.status, decided_by = input.decided_by, decided_at = input.at, note = input.note,
      scope = input.scope, remembered = input.remembered, fingerprint = coalesce(input.fingerprint, a.fingerprint)
    FROM held, input
    WHERE a.id = input.approval_id AND a.session_id = held.id AND a.status = 'PENDING'
      AND (input.status = 'EXPIRED') = (a.expires_at <= now())
    RETURNING a.session_id, a.turn_id, a.task_id, a.status, CASE a.status WHEN 'APPROVED' THEN 2 ELSE 1 END AS event_count),
  task AS (
    UPDATE tasks t SET status = 'PENDING', detail = coalesce(input.detail, t.detail), args = coalesce(input.args, t.args)
    FROM settled, input WHERE t.id = settled.task_id AND settled.status = 'APPROVED'),
  session AS (
    UPDATE sessions s SET last_seq = s.last_seq + settled.event_count, open_approvals = s.open_approvals - 1,
      last_activity_at = greatest(s.last_activity_at, input.at),
      provider_state = CASE WHEN input.detail IS NULL AND input.args IS NULL THEN s.provider_state END,
      ready_at = CASE WHEN s.status = 'AWAITING_APPROVAL' AND s.owner IS NULL
          AND (settled.status <> 'APPROVED' OR s.open_approvals <= 1) THEN now() ELSE s.ready_at END
    FROM settled, input WHERE s.id = settled.session_id
    RETURNING s.id, s.last_seq, s.owner IS NULL AND s.ready_at <= now() AS is_ready),
  event AS (
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT session.id, session.last_seq - settled.event_count + e.n, input.at, settled.turn_id, e.type, e.data
    FROM session, settled, input, LATERAL (VALUES
      (1, 'Approval', jsonb_build_object('approvalId', input.approval_id)),
      (2, 'TaskUpdate', jsonb_build_object('taskId', settled.task_id, 'status', 'PENDING'))) AS e (n, type, data)
    WHERE e.n <= settled.event_count),
  audit AS (
    ${INSERT_AUDIT}
    SELECT input.audit_id, input.at, 'APPROVAL', settled.session_id, settled.turn_id, input.audit_actor, input.audit_token,
      input.audit_data FROM settled, input)
  SELECT settled.session_id, settled.turn_id, settled.task_id, settled.status, session.last_seq, session.is_ready
  FROM settled, session`,
)
