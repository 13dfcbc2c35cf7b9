/** The audit's entry of what a caller did to a session from outside a turn, written by the statement that does it. */
import type { SessionChange } from '../../core/audit-entry.ts'
import { newId } from '../../platform/id.ts'
import { INSERT_AUDIT } from '../audit-entries.ts'
import { literal, sql, type Sql } from '../sql.ts'

/** Who does it. */
export interface Actor {
  /** Null: a connector, which acts for no single user. */
  readonly userName: string | null
  readonly tokenName: string
}

/** The parameters that `sessionAudit` reads, besides `session_id`. */
export const AUDIT_INPUT = { audit_id: 'text', audit_actor: 'text', audit_token: 'text' } as const

/** The values of `AUDIT_INPUT`, with a new id: one call for each entry. */
export function auditInput({ userName, tokenName }: Actor): Readonly<Record<keyof typeof AUDIT_INPUT, unknown>> {
  return { audit_id: newId('audit'), audit_actor: userName, audit_token: tokenName }
}

/**
 * A CTE that writes the entry. All but `change` is SQL, and it may be; `from`: nothing is written when it has no row.
 */
export function sessionAudit(
  change: SessionChange,
  {
    from,
    at,
    turnId = sql`NULL`,
    detail = sql`NULL`,
  }: {
    readonly from: Sql
    readonly at: Sql
    readonly turnId?: Sql
    readonly detail?: Sql
  },
): Sql {
  return sql`audit AS (
    ${INSERT_AUDIT}
    SELECT input.audit_id, ${at}, 'SESSION', input.session_id, ${turnId}, input.audit_actor, input.audit_token,
      jsonb_build_object('change', ${literal(change)}, 'detail', ${detail}) FROM ${from})`
}
