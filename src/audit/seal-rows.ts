/**
 * The rows of the chain. A seal covers the entries after the (`txid`, `pos`) of the seal before it, up to its own.
 * Entries are sealed only below every transaction that still runs (`pg_snapshot_xmin`): then none can appear later
 * among those sealed.
 */

/** A place in the order of entries. */
export interface EntryPlace {
  readonly txid: string
  readonly pos: string
}

export interface Seal extends EntryPlace {
  readonly n: number
  readonly day: string
  readonly sealedAt: string
  readonly entries: number
  readonly hash: Buffer
}

export const BEGINNING: EntryPlace = { txid: '0', pos: '0' }

const utc = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export const SEAL_COLUMNS = `s.n::int AS n, s.day::text AS day, ${utc('s.sealed_at')} AS "sealedAt", s.txid::text AS txid,
  s.pos::text AS pos, s.entries, s.hash`

export const ENTRY_COLUMNS = `e.txid::text AS txid, e.pos::text AS pos, e.id, ${utc('e.at')} AS at, e.kind::text AS kind,
  e.session_id AS "sessionId", e.turn_id AS "turnId", e.actor, e.token_name AS "tokenName", e.data::text AS data`

export const LAST_SEAL = {
  name: 'audit.last-seal',
  plansOnce: true,
  text: `SELECT ${SEAL_COLUMNS} FROM audit_seals s ORDER BY s.n DESC LIMIT 1`,
}

/** Parameters: the place after which, and how many. */
export const UNSEALED = {
  name: 'audit.unsealed',
  plansOnce: true,
  text: `SELECT ${ENTRY_COLUMNS} FROM audit_entries e
    WHERE (e.txid, e.pos) > ($1::bigint, $2::bigint) AND e.txid < audit_txid(pg_snapshot_xmin(pg_current_snapshot()))
    ORDER BY e.txid, e.pos LIMIT $3`,
}

/**
 * How long the oldest entry after a place has waited, transactions that still run included; no row when there is none.
 */
export const OLDEST_UNSEALED = {
  name: 'audit.oldest-unsealed',
  text: `SELECT extract(epoch FROM now() - e.at)::float8 AS seconds FROM audit_entries e
    WHERE (e.txid, e.pos) > ($1::bigint, $2::bigint) ORDER BY e.txid, e.pos LIMIT 1`,
}

/** Only one process can add the seal that follows another: `n` is the primary key. */
export const ADD_SEAL = {
  name: 'audit.seal',
  text: `INSERT INTO audit_seals (n, day, txid, pos, entries, hash, sealed_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (n) DO NOTHING RETURNING n::int AS n`,
}

/** Parameters: after this place, up to that one, and how many. */
export const SEALED_BETWEEN = {
  name: 'audit.sealed-between',
  text: `SELECT ${ENTRY_COLUMNS} FROM audit_entries e
    WHERE (e.txid, e.pos) > ($1::bigint, $2::bigint) AND (e.txid, e.pos) <= ($3::bigint, $4::bigint)
    ORDER BY e.txid, e.pos LIMIT $5`,
}
