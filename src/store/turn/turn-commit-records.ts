/**
 * The fragments of a turn's commit that leave records for others: deliveries, published files, the audit. Each hangs on
 * `w_fence` (src/store/turn/turn-commit.ts).
 */
import type { NewAuditEntry } from '../../core/audit-entry.ts'
import type { NewDelivery, NewPublishedFile } from '../../core/turn-write.ts'
import { AUDIT_RECORD, auditRows, INSERT_AUDIT } from '../audit-entries.ts'
import { FENCE, fenced, type Bind, type Fenced } from './turn-commit-bind.ts'

/** The webhook is read under the session's lock: one that is taken away is not used any more. */
export function deliveriesSql(deliveries: readonly NewDelivery[], bind: Bind): Fenced {
  return fenced`INSERT INTO deliveries (id, session_id, task_id, url, token_name, final, created_at, next_attempt_at)
    SELECT d.id, $1, d."taskId", f.webhook, f.webhook_token, d.final, d."createdAt", now()
    FROM ${FENCE} f, jsonb_to_recordset(${bind(JSON.stringify(deliveries))}::jsonb)
      AS d (id text, "taskId" text, final boolean, "createdAt" timestamptz)
    WHERE f.webhook IS NOT NULL`
}

/** Records published files, whose bytes must be in place by now (src/store/published-bytes.ts). */
export function filesSql(files: readonly NewPublishedFile[], bind: Bind): Fenced {
  return fenced`INSERT INTO published_files (id, session_id, task_id, name, size, content_type, user_name, created_at, expires_at)
    SELECT p.id, $1, p."taskId", p.name, p.size, p."contentType", p."userName", p."createdAt", p."expiresAt"
    FROM ${FENCE}, jsonb_to_recordset(${bind(JSON.stringify(files))}::jsonb)
      AS p (id text, "taskId" text, name text, size bigint, "contentType" text, "userName" text, "createdAt" timestamptz,
        "expiresAt" timestamptz)`
}

/** Writes audit entries along with what they are about. */
export function auditSql(entries: readonly NewAuditEntry[], bind: Bind): Fenced {
  return fenced`${INSERT_AUDIT}
    SELECT a.id, a.at, a.kind, a.session_id, a.turn_id, a.actor, a.token_name, a.data
    FROM ${FENCE}, jsonb_to_recordset(${bind(auditRows(entries))}::jsonb) AS a (${AUDIT_RECORD})`
}
