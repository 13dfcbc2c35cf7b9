/**
 * Which sessions changed in a list, for `sessionUpdates`: ids only, coalesced per session (at most four times a second), each
 * told only to viewers who may see the session at that moment. One read of the audience per changed session, whatever the
 * number of viewers; none when nobody watches.
 */
import { messageOf } from '../core/errors.ts'
import type { Viewer } from '../core/identity.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { ChangeWatcher, MAX_PENDING } from './change-watcher.ts'
import type { ReadAudience } from './log-view.ts'

const PAUSE_MS = 250
/** Audiences read at the same time. */
const PARALLEL_READS = 4
/** When news may have been missed: sessions that were active this lately are told again, changed or not. */
const LOOK_BACK_MS = 60_000

export interface SessionNewsOptions {
  readonly doorbell: Doorbell
  readonly readAudience: ReadAudience
  /** Ids of the sessions that were active since then, latest first. */
  readonly readActiveSince: (since: Date, limit: number) => Promise<readonly string[]>
  readonly clock: Clock
  readonly logger: Logger
}

export class SessionNews {
  readonly #options: SessionNewsOptions
  readonly #watchers = new Map<ChangeWatcher, Viewer>()
  readonly #changed = new Set<string>()
  #telling: Promise<void> | null = null
  #lookingBack: Promise<void> | null = null
  #unsubscribe: () => void = () => undefined

  constructor(options: SessionNewsOptions) {
    this.#options = options
  }

  start(): void {
    const { doorbell } = this.#options
    const stopLog = doorbell.on('log', ({ sessionId, list }) => {
      if (list && this.#watchers.size > 0) this.#note(sessionId)
    })
    const stopResync = doorbell.on('resync', () => {
      if (this.#watchers.size > 0) this.#lookingBack ??= this.#lookBack()
    })
    this.#unsubscribe = () => {
      stopLog()
      stopResync()
    }
  }

  /** Ends all watchers. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    for (const watcher of this.#watchers.keys()) await watcher.return()
    await this.#lookingBack
    await this.#telling
  }

  /**
   * The ids of sessions that changed since the call. Throws a GraphQLError SLOW_CONSUMER when the reader lets more than a
   * thousand changed sessions pile up.
   */
  follow(viewer: Viewer): AsyncGenerator<string, void, void> {
    const watcher: ChangeWatcher = new ChangeWatcher(() => this.#watchers.delete(watcher))
    this.#watchers.set(watcher, viewer)
    return watcher
  }

  async #lookBack(): Promise<void> {
    const { readActiveSince, clock, logger } = this.#options
    try {
      const since = new Date(clock.now().getTime() - LOOK_BACK_MS)
      for (const sessionId of await readActiveSince(since, MAX_PENDING)) this.#note(sessionId)
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'what watchers of session lists may have missed could not be read')
    } finally {
      this.#lookingBack = null
    }
  }

  #note(sessionId: string): void {
    this.#changed.add(sessionId)
    this.#telling ??= this.#tellUntilQuiet()
  }

  async #tellUntilQuiet(): Promise<void> {
    while (this.#changed.size > 0 && this.#watchers.size > 0) {
      const changed = [...this.#changed]
      this.#changed.clear()
      for (let from = 0; from < changed.length; from += PARALLEL_READS) {
        await Promise.all(changed.slice(from, from + PARALLEL_READS).map((sessionId) => this.#tell(sessionId)))
      }
      await this.#options.clock.sleep(PAUSE_MS)
    }
    this.#changed.clear()
    this.#telling = null
  }

  async #tell(sessionId: string): Promise<void> {
    try {
      const audience = await this.#options.readAudience(sessionId)
      for (const [watcher, viewer] of this.#watchers) if (audience(viewer)) watcher.add(sessionId)
    } catch (error) {
      this.#options.logger.warn({ sessionId, error: messageOf(error) }, 'watchers were not told of a changed session')
    }
  }
}
