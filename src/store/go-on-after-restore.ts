/**
 * In a database that was restored from a dump, transactions are numbered from the start: audit entries would come
 * before what is sealed, which breaks the chain for good. So who writes the first entry there has the numbers go on
 * first.
 */
import type { Queryable, Statement } from './database.ts'

/** What the numbers of transactions of this server lack to go on behind those in the audit; no row when they do. */
const BEHIND_AUDIT: Statement = {
  name: 'audit.behind',
  text: `SELECT (newest.txid + 1 - pg_snapshot_xmin(pg_current_snapshot())::text::bigint)::text AS missing
    FROM (SELECT greatest((SELECT max(txid) FROM audit_entries), (SELECT max(txid) FROM audit_seals)) AS txid) newest
    WHERE newest.txid >= audit_txid(pg_snapshot_xmax(pg_current_snapshot()))`,
}

/** To be awaited before anything is written to the audit. Whether it was needed; on repeat it is not. */
export async function goOnAfterRestore(database: Queryable): Promise<boolean> {
  const [behind] = await database.query<{ missing: string }>(BEHIND_AUDIT, [])
  if (behind === undefined) return false
  await database.query(goOnFrom(behind.missing), [])
  return true
}

/** `missing`: digits. */
function goOnFrom(missing: string): Statement {
  const text = `CREATE OR REPLACE FUNCTION "audit_txid"(transaction xid8) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT transaction::text::bigint + ${BigInt(missing)}'`
  return { name: '', text }
}
