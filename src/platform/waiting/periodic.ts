/**
 * A poll: one tick after another, with a pause between them that `wake` cuts short, until it is stopped.
 *
 * What must hold: never two ticks at a time; a `wake` during a tick leads to another tick at once; a tick that fails is
 * tried again after a growing pause, which `wake` does not cut short, and the first failure in a row is logged, not
 * each. What is not an outage is a bug: each is logged with its stack, and the poll goes on.
 */
import { backoffMs, type BackoffPolicy } from './backoff.ts'
import type { Clock } from '../clock.ts'
import { Coalesced } from './coalesced.ts'
import { randomFraction } from '../random.ts'
import type { Logger } from '../logger.ts'
import { reasonOf } from '../error-code.ts'

export interface PeriodicOptions {
  /** What ticks, for log lines: "schedule poll". */
  readonly name: string
  /** The pause after a tick. */
  readonly everyMs: number | (() => number)
  /** 'again': there is more to do, so no pause. `signal` is aborted by `stop`. */
  readonly tick: (signal: AbortSignal) => Promise<'again' | void>
  /** Whether an error is of the world (a database that is away) and not a bug. */
  readonly isOutage: (error: unknown) => boolean
  readonly clock: Clock
  readonly logger: Logger
  readonly backoff?: BackoffPolicy
}

const BACKOFF: BackoffPolicy = { firstMs: 1000, maxMs: 15_000 }

export class Periodic {
  readonly #options: PeriodicOptions
  readonly #stopping = new AbortController()
  readonly #ticks = new Coalesced(() => this.#tick())
  #loop: Promise<void> = Promise.resolve()
  /** Aborting it ends the pause, or the one after the tick that is under way. */
  #pause = new AbortController()
  #isMore = false
  #failures = 0

  constructor(options: PeriodicOptions) {
    this.#options = options
  }

  /** Ticks from now on, the first time at once. Called once. */
  start(): void {
    this.#loop = this.#run()
  }

  /** The next tick is due now. Nothing before `start` or after `stop`. */
  wake(): void {
    this.#pause.abort()
  }

  /** No further tick; resolves when the one under way has ended. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#pause.abort()
    await this.#loop
    await this.#ticks.settled()
  }

  /** One tick, now, or after the one under way. For tests, which need not wait for the pause. Never rejects. */
  tick(): Promise<void> {
    return this.#ticks.run()
  }

  async #run(): Promise<void> {
    const { clock, everyMs, backoff = BACKOFF } = this.#options
    const stopped = this.#stopping.signal
    while (!stopped.aborted) {
      this.#pause = new AbortController()
      await this.#ticks.run()
      if (this.#failures > 0) await clock.sleep(backoffMs(backoff, this.#failures - 1, randomFraction()), stopped)
      else if (!this.#isMore) await clock.sleep(typeof everyMs === 'number' ? everyMs : everyMs(), this.#pause.signal)
    }
  }

  async #tick(): Promise<void> {
    const { name, tick, isOutage, logger } = this.#options
    try {
      this.#isMore = (await tick(this.#stopping.signal)) === 'again'
      if (this.#failures > 0) logger.info({ failures: this.#failures }, `${name} works again`)
      this.#failures = 0
    } catch (error) {
      this.#failures += 1
      if (!isOutage(error)) logger.error({ err: error }, `${name} failed; retrying`)
      else if (this.#failures === 1) logger.warn({ error: reasonOf(error) }, `${name} failed; retrying`)
    }
  }
}
