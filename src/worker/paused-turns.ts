/**
 * Lets turns go on that wait for a budget or a provider, as soon as an operator may have mended what they wait for:
 * when the configuration or `.env` changes, and when a process starts, since that may have happened while none ran. At
 * the end of their pause (of a budget: at midnight) they go on by themselves: the queue holds them until then. Every
 * process does so; a turn that is made ready twice runs once.
 */
import { checkBudget } from '../audit/budget.ts'
import type { LiveConfig } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { Logger } from '../platform/logger.ts'
import type { Database } from '../store/database.ts'
import { findPausedTurns, makeReady } from '../store/turn/paused-turns.ts'

export interface PausedTurnsOptions {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly config: LiveConfig
  /** Calls the listener after each change of the secrets, as of a key, until what it returns is called. */
  readonly onSecretsReloaded: (listener: () => void) => () => void
  readonly logger: Logger
}

export class PausedTurns {
  readonly #options: PausedTurnsOptions
  #stopListening: readonly (() => void)[] = []
  readonly #wakes = new Coalesced(() => this.#wake())

  constructor(options: PausedTurnsOptions) {
    this.#options = options
  }

  start(): void {
    const { config, onSecretsReloaded } = this.#options
    const wake = (): void => void this.#wakes.run()
    this.#stopListening = [config.onChange(wake), onSecretsReloaded(wake)]
    wake()
  }

  async stop(): Promise<void> {
    for (const stop of this.#stopListening) stop()
    await this.#wakes.settled()
  }

  /**
   * Turns that would only be paused again are left alone. A cancelled one is made ready to end: it was cancelled while
   * it was being paused, by a process that died before it could make it ready.
   */
  async #wake(): Promise<void> {
    const { database, doorbell, config, logger } = this.#options
    try {
      const paused = await findPausedTurns(database)
      const ready: string[] = []
      for (const turn of paused) {
        if (turn.cancelRequested || (await checkBudget(database, config.current(), { ...turn, made: [] })) === null)
          ready.push(turn.sessionId)
      }
      await makeReady(database, ready)
      if (ready.length > 0) doorbell.ring({ kind: 'work', sessionId: '' })
    } catch (error) {
      logger.warn(
        { error: messageOf(error) },
        'paused turns could not be checked after a change; each resumes when its pause ends',
      )
    }
  }
}
