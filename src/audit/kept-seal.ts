/**
 * Compares the audit with a seal that an operator has kept elsewhere, "812:<64 hexadecimal digits>": a chain that was
 * made anew as a whole, or that lost its newest seals with their entries, is intact by itself.
 */
import type { KeptSeal } from '../config/command-line/audit-action.ts'
import type { Statement } from '../store/database.ts'
import type { ReadRows } from './verify-audit.ts'

const FIND: Statement = {
  name: 'verify.kept-seal',
  text: `SELECT (SELECT encode(hash, 'hex') FROM audit_seals WHERE n = $1) AS hash, min(n)::float8 AS first, max(n)::float8 AS last
    FROM audit_seals`,
}

interface Found {
  readonly hash: string | null
  readonly first: number | null
  readonly last: number | null
}

/** What does not fit; null: the audit has that very seal. */
export async function checkKeptSeal(read: ReadRows, { n, hash }: KeptSeal): Promise<string | null> {
  const [found] = await read<Found>(FIND, [n])
  if (found?.hash === hash) return null
  if (found?.hash != null) return `Seal ${n} has another hash than the one that was kept: ${found.hash}.`
  if (found?.last == null) return `Seal ${n}, which was kept, is gone, as all others are.`
  if (found.first !== null && n < found.first)
    return `Seal ${n}, which was kept, is gone: the audit begins with seal ${found.first}.`
  return `Seal ${n}, which was kept, is gone: the newest is seal ${found.last}.`
}
