/**
 * Which facts and learnings changed, for `factUpdates` and `learningUpdates`: ids only, coalesced (each at most four times a
 * second), whether an admin or a turn made the change, in this process or another. One read per batch of changes, whatever the
 * number of subscribers; none when nobody watches. When news may have been missed, what changed lately is told again.
 */
import { messageOf } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Clock } from '../platform/clock.ts'
import { idKind } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import type { Database } from '../store/database.ts'
import { readChangedSince, readThere, type WatchedKind } from '../store/knowledge-changes.ts'
import { ChangeWatcher, MAX_PENDING } from './change-watcher.ts'

const PAUSE_MS = 250
/** When news may have been missed: what changed this lately is told again. */
const LOOK_BACK_MS = 60_000
const KINDS = ['fact', 'learning'] as const satisfies readonly WatchedKind[]

export interface KnowledgeNewsOptions {
  readonly database: Database
  readonly doorbell: Doorbell
  readonly clock: Clock
  readonly logger: Logger
}

/** What changed of one kind, and who wants to know. */
interface Desk {
  readonly watchers: Set<ChangeWatcher>
  readonly changed: Set<string>
}

export class KnowledgeNews {
  readonly #options: KnowledgeNewsOptions
  readonly #desks: Readonly<Record<WatchedKind, Desk>> = { fact: newDesk(), learning: newDesk() }
  #telling: Promise<void> | null = null
  #lookingBack: Promise<void> | null = null
  #unsubscribe: () => void = () => undefined

  constructor(options: KnowledgeNewsOptions) {
    this.#options = options
  }

  start(): void {
    const { doorbell } = this.#options
    const stopNews = doorbell.on('knowledge', ({ id }) => {
      const kind = idKind(id)
      if (kind === 'fact' || kind === 'learning') this.#note(kind, [id])
    })
    const stopResync = doorbell.on('resync', () => {
      if (this.#watchedKinds().length > 0) this.#lookingBack ??= this.#lookBack()
    })
    this.#unsubscribe = () => {
      stopNews()
      stopResync()
    }
  }

  /** Ends all watchers. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    for (const kind of KINDS) for (const watcher of this.#desks[kind].watchers) await watcher.return()
    await this.#lookingBack
    await this.#telling
  }

  /**
   * The ids of facts or learnings that changed since the call. Throws a GraphQLError SLOW_CONSUMER when the reader lets more
   * than a thousand pile up.
   */
  follow(kind: WatchedKind): AsyncGenerator<string, void, void> {
    const { watchers } = this.#desks[kind]
    const watcher: ChangeWatcher = new ChangeWatcher(() => watchers.delete(watcher))
    watchers.add(watcher)
    return watcher
  }

  #watchedKinds(): WatchedKind[] {
    return KINDS.filter((kind) => this.#desks[kind].watchers.size > 0)
  }

  #changedKinds(): WatchedKind[] {
    return KINDS.filter((kind) => this.#desks[kind].changed.size > 0)
  }

  #note(kind: WatchedKind, ids: readonly string[]): void {
    const { watchers, changed } = this.#desks[kind]
    if (watchers.size === 0) return
    for (const id of ids) changed.add(id)
    this.#telling ??= this.#tellUntilQuiet()
  }

  async #tellUntilQuiet(): Promise<void> {
    while (this.#changedKinds().length > 0) {
      for (const kind of this.#changedKinds()) await this.#tell(kind)
      await this.#options.clock.sleep(PAUSE_MS)
    }
    this.#telling = null
  }

  /** What news speaks of need not have come about: a turn's decision about a learning that an admin had decided. */
  async #tell(kind: WatchedKind): Promise<void> {
    const { watchers, changed } = this.#desks[kind]
    const ids = [...changed]
    changed.clear()
    try {
      const there = watchers.size === 0 ? [] : await readThere(this.#options.database, kind, ids)
      for (const watcher of watchers) for (const id of there) watcher.add(id)
    } catch (error) {
      this.#options.logger.warn({ kind, error: messageOf(error) }, 'watchers were not told of changed knowledge')
    }
  }

  async #lookBack(): Promise<void> {
    const { database, clock, logger } = this.#options
    const since = new Date(clock.now().getTime() - LOOK_BACK_MS)
    try {
      for (const kind of this.#watchedKinds()) {
        this.#note(kind, await readChangedSince(database, kind, { since, limit: MAX_PENDING }))
      }
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'what watchers of knowledge may have missed could not be read')
    } finally {
      this.#lookingBack = null
    }
  }
}

function newDesk(): Desk {
  return { watchers: new Set(), changed: new Set() }
}
