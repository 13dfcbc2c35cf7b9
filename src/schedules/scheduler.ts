/**
 * Fires schedules, and sees how their runs end: it looks every second, in every process; the statements behind it
 * (src/store/schedules/schedule-runs.ts) let one of them act. Nothing is kept in memory: whoever dies, another process, or the next start, goes on
 * from the rows.
 */
import { AppError, messageOf } from '../core/errors.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { backoffMs } from '../platform/backoff.ts'
import type { Clock } from '../platform/clock.ts'
import { randomFraction } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import { readDueSchedules, readRunsToSettle } from '../store/schedules/schedule-runs.ts'
import { fireSchedule } from './fire-schedule.ts'
import { settleOpenRun } from './settle-run.ts'

export interface SchedulerOptions {
  readonly intake: IntakeContext
  readonly clock: Clock
  readonly logger: Logger
  readonly pollMs?: number
  /** Between attempts of what fails: src/schedules/after-run.ts. */
  readonly pausesMs?: readonly number[]
  /** So long after a run was opened, whoever opened it is taken to have died before its message was sent. */
  readonly unsentAfterMs?: number
}

const POLL_MS = 1000
/** Longer than a statement may take to be answered (src/store/database.ts). */
const UNSENT_AFTER_MS = 10_000
const BATCH = 100
const TROUBLE = { firstMs: 1000, maxMs: 15_000 }

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #stopping = new AbortController()
  #working: Promise<void> = Promise.resolve()

  constructor(options: SchedulerOptions) {
    this.#options = options
  }

  start(): void {
    this.#working = this.#work()
  }

  /** What is being fired is fired to its end. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#working
  }

  async #work(): Promise<void> {
    const { clock, logger, pollMs = POLL_MS } = this.#options
    const { signal } = this.#stopping
    for (let failures = 0; !signal.aborted;) {
      try {
        const isMore = await this.#look()
        failures = 0
        if (!isMore) await clock.sleep(pollMs, signal)
      } catch (error) {
        if (failures === 0) logger.warn({ error: messageOf(error) }, 'schedules cannot be seen to; trying again')
        await clock.sleep(backoffMs(TROUBLE, failures, randomFraction()), signal)
        failures += 1
      }
    }
  }

  /** Runs first: one that has ended makes way for the next. True: there was more than fits into one look. */
  async #look(): Promise<boolean> {
    const { intake, pausesMs, unsentAfterMs = UNSENT_AFTER_MS, logger } = this.#options
    const open = await readRunsToSettle(intake.database, { limit: BATCH, unsentAfterMs })
    await this.#each(open, (run) => settleOpenRun({ intake, pausesMs }, run))
    const due = await readDueSchedules(intake.database, BATCH)
    await this.#each(due, async (schedule) => {
      const isOurs = await fireSchedule({ intake, pausesMs }, schedule)
      if (isOurs) logger.info({ scheduleId: schedule.id, dueAt: schedule.dueAt }, 'a schedule was due')
    })
    return open.length === BATCH || due.length === BATCH
  }

  /** A schedule that meets a bug of ours must not keep the others from firing; what fails in the world ends the look. */
  async #each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
    for (const item of items) {
      if (this.#stopping.signal.aborted) return
      try {
        await act(item)
      } catch (error) {
        if (error instanceof AppError) throw error
        this.#options.logger.error({ err: error }, 'a schedule cannot be seen to')
      }
    }
  }
}
