/**
 * What a seal hashes. An entry's canonical form is one line of JSON that holds every column as text, so two entries
 * have the same form only if they are the same. A seal's hash covers the hash before it, the seal itself and its
 * entries in order:
 *
 *   SHA-256( hash before ‖ [n, day, sealedAt] ‖ "\n" ‖ entry ‖ "\n" ‖ entry … )
 *
 * Before the first seal stand 32 zero bytes. None of this may change: what was sealed must stay provable.
 */
import { createHash } from 'node:crypto'

/** A row of audit_entries, every column as text. */
export interface SealableEntry {
  /** Decimal. The order of entries is that of (`txid`, `pos`). */
  readonly txid: string
  readonly pos: string
  readonly id: string
  readonly at: string
  readonly kind: string
  readonly sessionId: string | null
  readonly turnId: string | null
  readonly actor: string | null
  readonly tokenName: string | null
  /** As PostgreSQL prints jsonb, which is canonical: keys sorted, one blank after each comma and colon. */
  readonly data: string
}

export interface SealHead {
  readonly n: number
  /** UTC, such as "2026-11-21". */
  readonly day: string
  /** RFC 3339, UTC, milliseconds. */
  readonly sealedAt: string
}

export const GENESIS_HASH = Buffer.alloc(32)

export function canonicalEntry(entry: SealableEntry): string {
  const { txid, pos, id, at, kind, sessionId, turnId, actor, tokenName, data } = entry
  return JSON.stringify([txid, pos, id, at, kind, sessionId, turnId, actor, tokenName, data])
}

export function sealHash(before: Buffer, head: SealHead, entries: readonly SealableEntry[]): Buffer {
  const hash = createHash('sha256')
    .update(before)
    .update(JSON.stringify([head.n, head.day, head.sealedAt]))
  for (const entry of entries) hash.update('\n').update(canonicalEntry(entry))
  return hash.digest()
}
