/**
 * How an audit entry becomes a row. Every statement that writes entries writes these columns, in this order: those that
 * write entries along with what they tell of (`INSERT_AUDIT`), and the one for entries that stand alone
 * (`appendAudit`).
 */
import type { NewAuditEntry } from '../core/audit-entry.ts'
import { newId } from '../platform/id.ts'
import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Head of every statement that writes audit entries; its columns are in the order of `AUDIT_RECORD`. */
export const INSERT_AUDIT = sql`INSERT INTO audit_entries (id, at, kind, session_id, turn_id, actor, token_name, data)`

/** The rows of `entries`, as JSON for `jsonb_to_recordset(…) AS a (AUDIT_RECORD)`. */
export function auditRows(entries: readonly NewAuditEntry[]): string {
  const rows = entries.map(
    ({ id = newId('audit'), at, sessionId, turnId, actor, tokenName, body: { kind, ...data } }) => ({
      id,
      at,
      kind,
      session_id: sessionId,
      turn_id: turnId,
      actor,
      token_name: tokenName,
      data,
    }),
  )
  return JSON.stringify(rows)
}

/** Column definitions for `jsonb_to_recordset` of what `auditRows` made. */
export const AUDIT_RECORD = sql`id text, at timestamptz, kind audit_kind, session_id text, turn_id text, actor text,
  token_name text, data jsonb`

const APPEND = {
  name: 'audit.append',
  plansOnce: true,
  text: `${INSERT_AUDIT}
    SELECT a.id, a.at, a.kind, a.session_id, a.turn_id, a.actor, a.token_name, a.data
    FROM jsonb_to_recordset($1::jsonb) AS a (${AUDIT_RECORD})
    ON CONFLICT (id) DO NOTHING`,
}

/** Entries of what has no statement of its own. Rejects with DATABASE_UNAVAILABLE; then none of them is stored. */
export async function appendAudit(database: Queryable, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length > 0) await database.query(APPEND, [auditRows(entries)])
}
