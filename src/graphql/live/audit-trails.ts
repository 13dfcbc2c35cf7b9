/**
 * The audit as it grows, for `auditTrail`: in the order of the chain, nothing missing and nothing twice for each
 * follower, whichever process wrote or sealed the entries. Entries are given out once they are sealed, because nothing
 * can appear before those any more.
 *
 * Each follower reads for itself, a page at a time and only when its client has taken the one before: it holds little
 * memory, and a slow one delays no other. There are few: only admins may follow.
 */
import type { StoredAuditEntry } from '../../core/audit-entry.ts'
import type { Doorbell } from '../../events/doorbell.ts'
import type { Clock } from '../../platform/clock.ts'
import { EndableGenerator } from '../../platform/waiting/endable-generator.ts'
import { readSealedPage, readSealedPlace, type AuditFilter, type ChainPlace } from '../../store/audit-reads.ts'
import type { Database } from '../../store/database.ts'

/** `entry`: null: the list is to be read. */
export interface AuditChange {
  readonly entry: StoredAuditEntry | null
}

export interface AuditTrailsOptions {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'on'>
  readonly clock: Clock
}

const PAGE = 200
/** Notifications may be lost. */
const POLL_MS = 2000

export class AuditTrails {
  readonly #options: AuditTrailsOptions
  readonly #open = new Set<AuditTrail>()
  readonly #cleanups: (() => void)[] = []

  constructor(options: AuditTrailsOptions) {
    this.#options = options
  }

  start(): void {
    const wake = (): void => {
      for (const trail of this.#open) trail.wake()
    }
    this.#cleanups.push(this.#options.doorbell.on('audit', wake), this.#options.doorbell.on('resync', wake))
  }

  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    for (const trail of this.#open) await trail.return()
  }

  /** That the list is to be read, then what is sealed from now on and matches. */
  async follow(filter: AuditFilter): Promise<AsyncGenerator<AuditChange, void, void>> {
    const from = await readSealedPlace(this.#options.database)
    const trail: AuditTrail = new AuditTrail({ ...this.#options, filter, from, onEnd: () => this.#open.delete(trail) })
    this.#open.add(trail)
    return trail
  }
}

/** Not a Periodic: it reads only when it is asked for an entry, so a slow reader costs no statement and no memory. */
class AuditTrail extends EndableGenerator<AuditChange> {
  readonly #options: AuditTrailsOptions & { readonly filter: AuditFilter; readonly onEnd: () => void }
  #place: ChainPlace
  /** Read and not given away. */
  #page: StoredAuditEntry[] = []
  #wake = new AbortController()
  #hasBegun = false

  constructor(options: AuditTrailsOptions & { filter: AuditFilter; from: ChainPlace; onEnd: () => void }) {
    super()
    this.#options = options
    this.#place = options.from
  }

  /** There may be more. */
  wake(): void {
    this.#wake.abort()
  }

  protected async take(): Promise<AuditChange | null> {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      return { entry: null }
    }
    while (!this.isEnded) {
      const entry = this.#page.shift()
      if (entry !== undefined) return { entry }
      this.#wake = new AbortController()
      await this.#read()
      if (this.#page.length === 0) await this.#options.clock.sleep(POLL_MS, this.#wake.signal)
    }
    return null
  }

  async #read(): Promise<void> {
    const { database, filter } = this.#options
    const upTo = await readSealedPlace(database)
    if (upTo.txid === this.#place.txid && upTo.pos === this.#place.pos) return
    const { entries, next } = await readSealedPage(database, { after: this.#place, upTo, filter, limit: PAGE })
    this.#page = entries
    this.#place = next
  }

  protected onEnd(): void {
    this.#options.onEnd()
    this.#wake.abort()
  }
}
