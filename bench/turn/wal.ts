/** What PostgreSQL wrote between two moments: bytes and records of its log, by relation and by kind. */
import type { Client } from 'pg'

/** Of one relation (or none), one resource manager and one kind of record. */
export interface WalShare {
  readonly relation: string
  readonly kind: string
  readonly records: number
  /** With what each record costs besides its data. */
  readonly bytes: number
  /** Whole pages, which follow a checkpoint. */
  readonly pageBytes: number
}

/** The place in the log up to which everything is written. */
export async function walPlace(client: Client): Promise<string> {
  const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn')
  return rows[0]?.lsn ?? ''
}

/** A record of several relations counts with the first. */
export async function walBetween(client: Client, from: string, to: string): Promise<WalShare[]> {
  const { rows } = await client.query<WalShare>(
    `SELECT coalesce(c.relname::text, '') AS relation, r.resource_manager || ' ' || r.record_type AS kind,
       count(*)::int AS records, sum(r.record_length - r.fpi_length)::float8 AS bytes,
       sum(r.fpi_length)::float8 AS "pageBytes"
     FROM pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn) r
     LEFT JOIN pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, false) b ON b.start_lsn = r.start_lsn AND b.block_id = 0
     LEFT JOIN pg_class c ON pg_relation_filenode(c.oid) = b.relfilenode
     GROUP BY 1, 2 ORDER BY 4 DESC`,
    [from, to],
  )
  return rows
}
