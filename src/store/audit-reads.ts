/** The audit as admins read it: a page of entries, one entry, those of some places in the order of the chain. */
import type { AuditBody, AuditKind, StoredAuditEntry } from '../core/audit-entry.ts'
import { STATEMENT_TIMEOUT_MS, type Database } from './database.ts'

/** Entries that match every field given. An empty list of kinds is the same as none. */
export interface AuditFilter {
  readonly kind?: readonly AuditKind[] | null | undefined
  readonly sessionId?: string | null | undefined
  readonly turnId?: string | null | undefined
  readonly actor?: string | null | undefined
  /** Of model calls. */
  readonly role?: readonly string[] | undefined
  /** Of model calls: "OK", or codes. */
  readonly outcome?: readonly string[] | undefined
  /** Not before. */
  readonly from?: Date | null | undefined
  /** Before. */
  readonly to?: Date | null | undefined
}

const AUDIT_ENTRY_COLUMNS = `e.id, e.at, e.kind, e.session_id AS "sessionId", e.turn_id AS "turnId", e.actor,
  e.token_name AS "tokenName", e.data`

interface AuditRow extends Omit<StoredAuditEntry, 'body'> {
  readonly kind: AuditKind
  readonly data: object
}

function toAuditEntry({ kind, data, ...columns }: AuditRow): StoredAuditEntry {
  return { ...columns, body: { kind, ...data } as AuditBody }
}

interface AuditPageRequest {
  readonly filter: AuditFilter
  /** The entry behind which the page begins. */
  readonly after: { readonly at: Date; readonly id: string } | null
  readonly limit: number
}

/** Newest first. */
export async function readAuditPage(database: Database, request: AuditPageRequest): Promise<StoredAuditEntry[]> {
  const { filter, after, limit } = request
  const values: unknown[] = [limit]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const sessionId = filter.sessionId ?? (await sessionOfTurn(database, filter.turnId))
  const conditions = conditionsOf({ ...filter, sessionId }, bind)
  if (after !== null) {
    const at = `${bind(after.at)}::timestamptz`
    // The first half is what an index begins with.
    conditions.push(`e.at <= ${at} AND (e.at < ${at} OR e.id < ${bind(after.id)}::text)`)
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const text = `SELECT ${AUDIT_ENTRY_COLUMNS} FROM audit_entries e ${where} ORDER BY e.at DESC, e.id DESC LIMIT $1`
  // Not prepared: which index is best depends on what is asked for.
  const rows = await database.query<AuditRow>({ name: '', text, timeoutMs: STATEMENT_TIMEOUT_MS }, values)
  return rows.map(toAuditEntry)
}

/** Entries are found by their session; none says so of a session that was deleted. */
async function sessionOfTurn(database: Database, turnId: string | null | undefined): Promise<string | null> {
  if (turnId == null) return null
  const [turn] = await database.query<{ id: string }>(SESSION_OF_TURN, [turnId])
  return turn?.id ?? null
}

const SESSION_OF_TURN = { name: 'audit.session-of-turn', text: 'SELECT session_id AS id FROM turns WHERE id = $1' }

function conditionsOf(filter: AuditFilter, bind: (value: unknown) => string): string[] {
  const { kind, sessionId, turnId, actor, role = [], outcome = [], from, to } = filter
  const conditions: string[] = []
  if (kind != null && kind.length > 0) conditions.push(`e.kind = ANY (${bind(kind)}::audit_kind[])`)
  if (sessionId != null) conditions.push(`e.session_id = ${bind(sessionId)}::text`)
  if (turnId != null) conditions.push(`e.turn_id = ${bind(turnId)}::text`)
  if (actor != null) conditions.push(`e.actor = ${bind(actor)}::text`)
  if (role.length > 0) conditions.push(`e.data->>'role' = ANY (${bind(role)}::text[])`)
  if (outcome.length > 0) conditions.push(`e.data->>'status' = ANY (${bind(outcome)}::text[])`)
  if (from != null) conditions.push(`e.at >= ${bind(from)}::timestamptz`)
  if (to != null) conditions.push(`e.at < ${bind(to)}::timestamptz`)
  return conditions
}

/** A place in the order of the chain (src/audit/seal-rows.ts). */
export interface ChainPlace {
  readonly txid: string
  readonly pos: string
}

const HEAD = {
  name: 'audit.head',
  text: 'SELECT txid::text AS txid, pos::text AS pos FROM audit_seals ORDER BY n DESC LIMIT 1',
}

/** Up to where the audit is sealed: nothing appears before that any more. */
export async function readSealedPlace(database: Database): Promise<ChainPlace> {
  const [head] = await database.query<ChainPlace>(HEAD, [])
  return head ?? { txid: '0', pos: '0' }
}

/** Entries behind one place up to another, in the order of the chain; `next` is the place to go on from. */
export async function readSealedPage(
  database: Database,
  page: {
    readonly after: ChainPlace
    readonly upTo: ChainPlace
    readonly filter: AuditFilter
    readonly limit: number
  },
): Promise<{ readonly entries: StoredAuditEntry[]; readonly next: ChainPlace }> {
  const { after, upTo, filter, limit } = page
  const values: unknown[] = [after.txid, after.pos, upTo.txid, upTo.pos, limit]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = [
    '(e.txid, e.pos) > ($1::bigint, $2::bigint)',
    '(e.txid, e.pos) <= ($3::bigint, $4::bigint)',
    ...conditionsOf(filter, bind),
  ]
  const text = `SELECT ${AUDIT_ENTRY_COLUMNS}, e.txid::text AS txid, e.pos::text AS pos FROM audit_entries e
    WHERE ${conditions.join(' AND ')} ORDER BY e.txid, e.pos LIMIT $5`
  const rows = await database.query<AuditRow & ChainPlace>({ name: '', text }, values)
  const last = rows.length < limit ? upTo : (rows.at(-1) ?? upTo)
  const entries = rows.map(({ txid: _txid, pos: _pos, ...row }) => toAuditEntry(row))
  return { entries, next: { txid: last.txid, pos: last.pos } }
}

/** Null: there is no such entry, or not any more (`remove-old-audit.ts`). Entries are never changed. */
export async function readAuditEntry(database: Database, id: string): Promise<StoredAuditEntry | null> {
  const [row] = await database.query<AuditRow>(ONE, [id])
  return row === undefined ? null : toAuditEntry(row)
}

const ONE = { name: 'audit.one', text: `SELECT ${AUDIT_ENTRY_COLUMNS} FROM audit_entries e WHERE e.id = $1` }
