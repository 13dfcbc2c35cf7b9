/**
 * Lets turns go on that wait for a budget, as soon as the configuration gives them more: when it changes, and when a process
 * starts, since it may have changed while none ran. At midnight they go on by themselves: the queue holds them until then.
 * Every process looks; a turn that is made ready twice runs once.
 */
import { checkBudget } from '../audit/budget.ts'
import type { Config, LiveConfig } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { Logger } from '../platform/logger.ts'
import type { Database } from '../store/database.ts'
import { findPausedTurns, makeReady } from '../store/turn/paused-turns.ts'

export interface PausedTurnsOptions {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly config: LiveConfig
  readonly logger: Logger
}

export class PausedTurns {
  readonly #options: PausedTurnsOptions
  #stopListening: () => void = () => undefined
  /** One look after another. */
  #looking: Promise<void> = Promise.resolve()

  constructor(options: PausedTurnsOptions) {
    this.#options = options
  }

  start(): void {
    const { config } = this.#options
    this.#stopListening = config.onChange((current) => this.#look(current))
    this.#look(config.current())
  }

  async stop(): Promise<void> {
    this.#stopListening()
    await this.#looking
  }

  #look(config: Config): void {
    this.#looking = this.#looking.then(() => this.#wake(config))
  }

  /**
   * Those that would only be paused again are left alone. One that is to end was paused in the moment in which somebody cancelled
   * it, by a process that died before it could say so.
   */
  async #wake(config: Config): Promise<void> {
    const { database, doorbell, logger } = this.#options
    try {
      const paused = await findPausedTurns(database)
      const ready: string[] = []
      for (const turn of paused) {
        if (turn.cancelRequested || (await checkBudget(database, config, { ...turn, made: [] })) === null)
          ready.push(turn.sessionId)
      }
      await makeReady(database, ready)
      if (ready.length > 0) doorbell.ring({ kind: 'work', sessionId: '' })
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'could not see whether paused turns may go on; at midnight they do')
    }
  }
}
