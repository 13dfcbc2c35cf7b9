/**
 * Which approvals were asked for or settled, for `approvalUpdates`: ids only, coalesced, each told only to viewers who may see
 * its session at that moment. One read of the audience per session, whatever the number of viewers; none when nobody watches.
 * When news may have been missed, what is open is told again.
 */
import { messageOf } from '../core/errors.ts'
import type { Viewer } from '../core/identity.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Logger } from '../platform/logger.ts'
import { ChangeWatcher, MAX_PENDING } from './change-watcher.ts'
import type { ReadAudience } from './log-view.ts'

interface ChangedApproval {
  readonly id: string
  readonly sessionId: string
}

export interface ApprovalNewsOptions {
  readonly doorbell: Doorbell
  readonly readAudience: ReadAudience
  /** Newest first. */
  readonly readOpen: (limit: number) => Promise<readonly ChangedApproval[]>
  readonly logger: Logger
}

export class ApprovalNews {
  readonly #options: ApprovalNewsOptions
  readonly #watchers = new Map<ChangeWatcher, Viewer>()
  /** Id of the approval → of its session. */
  readonly #changed = new Map<string, string>()
  #telling: Promise<void> | null = null
  #lookingBack: Promise<void> | null = null
  #unsubscribe: () => void = () => undefined

  constructor(options: ApprovalNewsOptions) {
    this.#options = options
  }

  start(): void {
    const { doorbell } = this.#options
    const stopNews = doorbell.on('approval', (news) => this.#note([news]))
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

  /**
   * The ids of approvals that changed since the call. Throws a GraphQLError SLOW_CONSUMER when the reader lets more than a
   * thousand pile up.
   */
  follow(viewer: Viewer): AsyncGenerator<string, void, void> {
    const watcher: ChangeWatcher = new ChangeWatcher(() => this.#watchers.delete(watcher))
    this.#watchers.set(watcher, viewer)
    return watcher
  }

  #note(changed: readonly ChangedApproval[]): void {
    if (this.#watchers.size === 0) return
    for (const { id, sessionId } of changed) this.#changed.set(id, sessionId)
    this.#telling ??= this.#tellUntilQuiet()
  }

  async #tellUntilQuiet(): Promise<void> {
    while (this.#changed.size > 0) {
      const bySession = Map.groupBy(this.#changed, ([, sessionId]) => sessionId)
      this.#changed.clear()
      for (const [sessionId, changed] of bySession)
        await this.#tell(
          sessionId,
          changed.map(([id]) => id),
        )
    }
    this.#telling = null
  }

  async #tell(sessionId: string, ids: readonly string[]): Promise<void> {
    try {
      const audience = await this.#options.readAudience(sessionId)
      for (const [watcher, viewer] of this.#watchers) {
        if (audience(viewer)) for (const id of ids) watcher.add(id)
      }
    } catch (error) {
      this.#options.logger.warn({ sessionId, error: messageOf(error) }, 'watchers were not told of an approval')
    }
  }

  async #lookBack(): Promise<void> {
    const { readOpen, logger } = this.#options
    try {
      this.#note(await readOpen(MAX_PENDING))
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'what watchers of approvals may have missed could not be read')
    } finally {
      this.#lookingBack = null
    }
  }
}
