/**
 * Notifies watchers of what changed, ids only: what session lists, approvals and knowledge have in common. Changes come
 * by doorbell, from this process or another; those that come together are notified together, group by group.
 *
 * What must hold: nothing is read without watchers; a group that fails keeps no other from being notified; where
 * changes may have been missed, watchers are told to read their list.
 */
import type { Doorbell } from '../../../events/doorbell.ts'
import { reasonOf } from '../../../platform/error-code.ts'
import { Coalesced } from '../../../platform/waiting/coalesced.ts'
import type { Logger } from '../../../platform/logger.ts'
import { ChangeWatcher, type ListChange } from './change-watcher.ts'

/** Something that a list shows is new, or has changed. */
export interface Change {
  readonly id: string
  /** What is notified with one read: the changes of a session, those of a kind. */
  readonly group: string
}

/** The watchers, with what decides whether they are notified. */
export type Watchers<Interest> = ReadonlyMap<ChangeWatcher, Interest>

export interface ChangeNotifierOptions<Interest> {
  readonly doorbell: Doorbell
  readonly logger: Logger
  /** For the log: "session lists". */
  readonly subject: string
  /** Has `note` called for each change that is heard of; the returned function stops that. */
  readonly listen: (note: (change: Change) => void) => () => void
  /** Gives the ids of a group to those of the watchers who may have them. */
  readonly notify: (group: string, ids: readonly string[], watchers: Watchers<Interest>) => Promise<void>
  /** Groups that are notified at the same time. */
  readonly parallel: number
  /** Between one round and the next, so that what changes often is notified less often. */
  readonly pause: () => Promise<void>
}

export class ChangeNotifier<Interest> {
  readonly #options: ChangeNotifierOptions<Interest>
  readonly #watchers = new Map<ChangeWatcher, Interest>()
  /** Id → group. */
  readonly #changed = new Map<string, string>()
  readonly #rounds = new Coalesced(() => this.#notifyAll())
  #unsubscribe: () => void = () => undefined

  constructor(options: ChangeNotifierOptions<Interest>) {
    this.#options = options
  }

  start(): void {
    const { doorbell, listen } = this.#options
    const stopChanges = listen((change) => this.#note([change]))
    const stopResync = doorbell.on('resync', () => this.#miss())
    this.#unsubscribe = () => {
      stopChanges()
      stopResync()
    }
  }

  /** Ends all watchers. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    for (const watcher of this.#watchers.keys()) await watcher.return()
    await this.#rounds.settled()
  }

  /** That the list is to be read, and what has changed since. Never throws. */
  follow(interest: Interest): AsyncGenerator<ListChange, void, void> {
    const watcher: ChangeWatcher = new ChangeWatcher(() => this.#watchers.delete(watcher))
    this.#watchers.set(watcher, interest)
    return watcher
  }

  #note(changes: readonly Change[]): void {
    if (this.#watchers.size === 0) return
    for (const { id, group } of changes) this.#changed.set(id, group)
    if (this.#changed.size > 0) void this.#rounds.run()
  }

  async #notifyAll(): Promise<void> {
    const { parallel, pause } = this.#options
    const groups = [...Map.groupBy(this.#changed, ([, group]) => group)]
    this.#changed.clear()
    if (groups.length === 0 || this.#watchers.size === 0) return
    for (let from = 0; from < groups.length; from += parallel) {
      const some = groups.slice(from, from + parallel)
      await Promise.all(some.map(([group, changed]) => this.#notify(group, changed)))
    }
    await pause()
  }

  async #notify(group: string, changed: readonly (readonly [id: string, group: string])[]): Promise<void> {
    const { notify, subject, logger } = this.#options
    try {
      const ids = changed.map(([id]) => id)
      await notify(group, ids, this.#watchers)
    } catch (error) {
      logger.warn({ group, error: reasonOf(error) }, `watchers of ${subject} could not be notified of a change`)
      this.#miss()
    }
  }

  #miss(): void {
    for (const watcher of this.#watchers.keys()) watcher.miss()
  }
}
