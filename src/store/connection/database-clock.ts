/**
 * The database's time, as this process knows it: what is written into rows or compared with them is decided by one
 * clock, however wrong that of a host is. Read at start and now and then; in between, this process only measures how
 * much time has passed.
 */
import type { Clock } from '../../platform/clock.ts'
import { isOutage } from '../../core/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import type { Queryable } from '../database.ts'

interface DatabaseClockOptions {
  readonly database: Queryable
  /** For durations; of what time it says only jumps matter. */
  readonly clock: Clock
  readonly logger: Logger
}

const READ_MS = 5000
const RETRY = { firstMs: READ_MS, maxMs: READ_MS }
/** Less than this is how long the answer took, not how far the clocks are apart. */
const TOLERANCE_MS = 50
/** So far apart, or such a jump, that the operator should know. */
const WRONG_MS = 2000

const NOW = { name: 'clock.now', text: 'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms' }

/** Shares the database's time. While the database cannot be read the last known difference holds, so `now` goes on. */
export class DatabaseClock implements Clock {
  readonly #options: DatabaseClockOptions
  readonly #poll: Periodic
  /** The database's time at the moment when `monotonicMs` was 0. */
  #zeroMs = 0
  /** The host's, when that was asked for. */
  #hostZeroMs = 0
  #hostDiffers = false

  private constructor(options: DatabaseClockOptions) {
    this.#options = options
    const { clock, logger } = options
    const tick = (): Promise<void> => this.#tick()
    this.#poll = new Periodic({
      name: "poll of the database's time",
      everyMs: READ_MS,
      backoff: RETRY,
      tick,
      isOutage,
      clock,
      logger,
    })
  }

  /** Rejects when the database does not tell the time. */
  static async start(options: DatabaseClockOptions): Promise<DatabaseClock> {
    const clock = new DatabaseClock(options)
    clock.#zeroMs = (await clock.#read()).zeroMs
    clock.#compareHost()
    clock.#poll.start()
    return clock
  }

  /**
   * The database's time (UTC), off by no more than about 50 ms and a round trip. It can jump back when a poll corrects
   * it: measure durations with `monotonicMs`. After this machine has slept, while which that stands still, it is read
   * anew at once.
   */
  now(): Date {
    if (Math.abs(this.#hostZero() - this.#hostZeroMs) > WRONG_MS) this.#poll.wake()
    return new Date(this.#zeroMs + this.monotonicMs())
  }

  /**
   * Milliseconds of this host's clock since an arbitrary point; never jumps, and is not comparable between processes.
   */
  monotonicMs(): number {
    return this.#options.clock.monotonicMs()
  }

  /** Sleeps `ms` milliseconds of this host; resolves early, without an error, when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#options.clock.sleep(ms, signal)
  }

  /** Calls `action` once after `ms` milliseconds of this host; the returned function cancels it. */
  after(ms: number, action: () => void): () => void {
    return this.#options.clock.after(ms, action)
  }

  /**
   * Ends the poll and resolves when a read that is under way has ended. The clock still gives the time afterwards,
   * uncorrected.
   */
  async stop(): Promise<void> {
    await this.#poll.stop()
  }

  async #tick(): Promise<void> {
    const { zeroMs, tookMs } = await this.#read()
    const jumpedMs = zeroMs - this.#zeroMs
    // Else time would jump to and fro by what a slow answer seems to say.
    if (Math.abs(jumpedMs) > TOLERANCE_MS + tookMs) this.#zeroMs = zeroMs
    if (Math.abs(jumpedMs) > WRONG_MS + tookMs)
      this.#options.logger.warn(
        { jumpedMs },
        "the database's time jumped, or this machine slept; what is due or expires goes by the new time",
      )
    this.#compareHost()
  }

  /** Says once that the clocks differ, and once that they agree again. */
  #compareHost(): void {
    const aheadMs = this.#options.clock.now().getTime() - this.now().getTime()
    const differs = Math.abs(aheadMs) > WRONG_MS
    if (differs && !this.#hostDiffers)
      this.#options.logger.warn(
        { aheadMs },
        'the clock of this host differs from that of the database, whose time holds',
      )
    if (!differs && this.#hostDiffers) this.#options.logger.info({ aheadMs }, 'the clock of this host is right again')
    this.#hostDiffers = differs
  }

  #hostZero(): number {
    return this.#options.clock.now().getTime() - this.monotonicMs()
  }

  async #read(): Promise<{ readonly zeroMs: number; readonly tookMs: number }> {
    const askedMs = this.monotonicMs()
    const hostZeroMs = this.#hostZero()
    const [row] = await this.#options.database.query<{ ms: number }>(NOW, [])
    this.#hostZeroMs = hostZeroMs
    const tookMs = this.monotonicMs() - askedMs
    return { zeroMs: (row?.ms ?? Number.NaN) - askedMs - tookMs / 2, tookMs }
  }
}
