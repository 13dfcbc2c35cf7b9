/**
 * Puts what is new in the audit under seal, about once a second while there is something: one seal per batch, each over
 * the hash of the one before (seal-hash.ts). Costs the statements that write entries nothing.
 *
 * What must hold: any number of processes may seal at once; the primary key lets one of them win, and the others read
 * again. A process that dies in between leaves nothing half done: what it had not sealed is sealed by the next. A seal
 * that this process knows and that is gone or changed is reported in the log and in the audit.
 */
import { isOutage } from '../core/errors.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database } from '../store/database.ts'
import { goOnAfterRestore } from '../store/go-on-after-restore.ts'
import { GENESIS_HASH, sealHash, type SealableEntry } from './seal-hash.ts'
import { ADD_SEAL, BEGINNING, LAST_SEAL, OLDEST_UNSEALED, UNSEALED, type Seal } from './seal-rows.ts'

export interface AuditSealerOptions {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  /** Called after each seal that this process has added. */
  readonly onSealed: () => void
}

const PAUSE_MS = 1000
const BACKOFF = { firstMs: PAUSE_MS, maxMs: 4000 }
const MAX_BATCH = 1000
/**
 * An entry that waits longer than this is held up: by a transaction that does not end, or by a database that is away.
 */
const LATE_SECONDS = 60
const FIND_LATE_MS = 30_000

export class AuditSealer {
  readonly #options: AuditSealerOptions
  readonly #seals: Periodic
  /** The newest seal that this process has read or made. */
  #known: Seal | null = null
  #foundLateMs = 0

  constructor(options: AuditSealerOptions) {
    this.#options = options
    const { clock, logger } = options
    const tick = async (): Promise<void> => {
      try {
        await this.#sealAll()
      } finally {
        await this.#findLate()
      }
    }
    const rhythm = { everyMs: PAUSE_MS, backoff: BACKOFF }
    this.#seals = new Periodic({ name: 'sealing the audit', ...rhythm, tick, isOutage, clock, logger })
  }

  /** To be awaited before anything is written to the audit. Rejects when the database is away. */
  async start(): Promise<void> {
    const { database, logger } = this.#options
    if (await goOnAfterRestore(database))
      logger.warn('the database was restored from a dump; the audit goes on behind its newest entry')
    this.#seals.start()
  }

  /** No further poll; what can be sealed now is sealed. Repeatable; never rejects. */
  async stop(): Promise<void> {
    await this.#seals.stop()
    await this.#seals.tick()
  }

  async #sealAll(): Promise<void> {
    while (await this.#sealBatch());
  }

  /** Returns whether there may be more. */
  async #sealBatch(): Promise<boolean> {
    const { database, clock, metrics, onSealed } = this.#options
    const last = await this.#lastSeal()
    const { txid, pos } = last ?? BEGINNING
    const entries = await database.query<SealableEntry>(UNSEALED, [txid, pos, MAX_BATCH])
    const newest = entries.at(-1)
    if (newest === undefined) return false
    const seal = nextSeal(last, entries, { at: clock.now(), newest })
    const { n, day, sealedAt, hash } = seal
    const added = await database.query(ADD_SEAL, [n, day, seal.txid, seal.pos, seal.entries, hash, sealedAt])
    // Another process has added this seal first: read what is left to seal.
    if (added.length === 0) return true
    this.#known = seal
    metrics.auditSealed.inc(entries.length)
    onSealed()
    return entries.length === MAX_BATCH
  }

  async #lastSeal(): Promise<Seal | null> {
    const [last = null] = await this.#options.database.query<Seal>(LAST_SEAL, [])
    const known = this.#known
    const isGone = known !== null && (last === null || last.n < known.n)
    const isOther = last !== null && known?.n === last.n && !last.hash.equals(known.hash)
    this.#known = last
    if (known !== null && (isGone || isOther)) await this.#reportTampered(known, isGone ? 'is gone' : 'was changed')
    return last
  }

  async #reportTampered({ n, day, hash }: Seal, what: string): Promise<void> {
    const { database, clock, logger } = this.#options
    const detail = `Seal ${n} of ${day} with the hash ${hash.toString('hex')} ${what}.`
    logger.error({ seal: n }, `the audit was tampered with: ${detail}`)
    const body = { kind: 'CONFIG', change: 'AUDIT_TAMPERED', detail } as const
    const nobody = { sessionId: null, turnId: null, actor: null, tokenName: null }
    await appendAudit(database, [{ at: clock.now(), ...nobody, body }])
  }

  async #findLate(): Promise<void> {
    const { database, clock, logger, metrics } = this.#options
    const nowMs = clock.monotonicMs()
    if (nowMs - this.#foundLateMs < FIND_LATE_MS) return
    this.#foundLateMs = nowMs
    try {
      const { txid, pos } = this.#known ?? BEGINNING
      const [oldest] = await database.query<{ seconds: number }>(OLDEST_UNSEALED, [txid, pos])
      const seconds = Math.max(0, Math.round(oldest?.seconds ?? 0))
      metrics.auditUnsealedSeconds.set(seconds)
      if (seconds > LATE_SECONDS)
        logger.warn({ seconds }, 'audit entries wait to be sealed: a transaction on the database does not end')
    } catch (error) {
      logger.warn({ error: reasonOf(error) }, 'check for unsealed audit entries failed; retrying later')
    }
  }
}

function nextSeal(
  last: Seal | null,
  entries: readonly SealableEntry[],
  { at, newest }: { readonly at: Date; readonly newest: SealableEntry },
): Seal {
  const sealedAt = at.toISOString()
  const head = { n: (last?.n ?? 0) + 1, day: sealedAt.slice(0, 10), sealedAt }
  const hash = sealHash(last?.hash ?? GENESIS_HASH, head, entries)
  return { ...head, txid: newest.txid, pos: newest.pos, entries: entries.length, hash }
}
