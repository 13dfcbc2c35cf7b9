/**
 * Tells those who watch what changed, ids only: what session lists, approvals and knowledge have in common. Changes come by
 * doorbell, from this process or another; those that come together are told together, group by group.
 *
 * What must hold: nothing is read while nobody watches; a group that cannot be told keeps no other from being told; when news
 * may have been missed, `readMissed` says what is told again.
 */
import { messageOf } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Logger } from '../platform/logger.ts'
import { ChangeWatcher, MAX_PENDING } from './change-watcher.ts'

export interface Change {
  readonly id: string
  /** What is told with one read: the changes of a session, those of a kind. */
  readonly group: string
}

/** Who watches, and what decides whether they are told. */
export type Watchers<Interest> = ReadonlyMap<ChangeWatcher, Interest>

export interface ChangeNewsOptions<Interest> {
  readonly doorbell: Doorbell
  readonly logger: Logger
  /** For the log: "session lists". */
  readonly subject: string
  /** Has `note` called for each change that is heard of; the returned function stops that. */
  readonly listen: (note: (change: Change) => void) => () => void
  /** What to tell again when news may have been missed; at most `limit` of it, for those who have these interests. */
  readonly readMissed: (limit: number, interests: ReadonlySet<Interest>) => Promise<readonly Change[]>
  /** Gives the ids of a group to those of the watchers who may have them. */
  readonly tell: (group: string, ids: readonly string[], watchers: Watchers<Interest>) => Promise<void>
  /** Groups that are told at the same time. */
  readonly parallel: number
  /** Between one telling and the next, so that what changes often is told less often. */
  readonly pause: () => Promise<void>
}

export class ChangeNews<Interest> {
  readonly #options: ChangeNewsOptions<Interest>
  readonly #watchers = new Map<ChangeWatcher, Interest>()
  /** Id → group. */
  readonly #changed = new Map<string, string>()
  #telling: Promise<void> | null = null
  #lookingBack: Promise<void> | null = null
  #unsubscribe: () => void = () => undefined

  constructor(options: ChangeNewsOptions<Interest>) {
    this.#options = options
  }

  start(): void {
    const { doorbell, listen } = this.#options
    const stopNews = listen((change) => this.#note([change]))
    const stopResync = doorbell.on('resync', () => {
      if (this.#watchers.size > 0) this.#lookingBack ??= this.#lookBack()
    })
    this.#unsubscribe = () => {
      stopNews()
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

  /** The ids of what changed since the call. Throws a GraphQLError SLOW_CONSUMER when the reader lets too many pile up. */
  follow(interest: Interest): AsyncGenerator<string, void, void> {
    const watcher: ChangeWatcher = new ChangeWatcher(() => this.#watchers.delete(watcher))
    this.#watchers.set(watcher, interest)
    return watcher
  }

  #note(changes: readonly Change[]): void {
    if (this.#watchers.size === 0) return
    for (const { id, group } of changes) this.#changed.set(id, group)
    if (this.#changed.size > 0) this.#telling ??= this.#tellUntilQuiet()
  }

  async #tellUntilQuiet(): Promise<void> {
    const { parallel, pause } = this.#options
    while (this.#changed.size > 0 && this.#watchers.size > 0) {
      const groups = [...Map.groupBy(this.#changed, ([, group]) => group)]
      this.#changed.clear()
      for (let from = 0; from < groups.length; from += parallel) {
        const some = groups.slice(from, from + parallel)
        await Promise.all(some.map(([group, changed]) => this.#tell(group, changed)))
      }
      await pause()
    }
    this.#changed.clear()
    this.#telling = null
  }

  async #tell(group: string, changed: readonly (readonly [id: string, group: string])[]): Promise<void> {
    const { tell, subject, logger } = this.#options
    try {
      const ids = changed.map(([id]) => id)
      await tell(group, ids, this.#watchers)
    } catch (error) {
      logger.warn({ group, error: messageOf(error) }, `those who watch ${subject} were not told of a change`)
    }
  }

  async #lookBack(): Promise<void> {
    const { readMissed, subject, logger } = this.#options
    try {
      this.#note(await readMissed(MAX_PENDING, new Set(this.#watchers.values())))
    } catch (error) {
      logger.warn({ error: messageOf(error) }, `what those who watch ${subject} may have missed could not be read`)
    } finally {
      this.#lookingBack = null
    }
  }
}
