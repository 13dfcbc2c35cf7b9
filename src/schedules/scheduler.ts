/**
 * Fires schedules, and settles runs that ended: it polls every second, in every process; the statements behind it
 * (src/store/schedules/schedule-runs.ts) let one of them act. Nothing is kept in memory: when a process dies, another
 * one, or the next start, goes on from the rows.
 */
import { isOutage } from '../core/errors.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import type { Timing } from '../config/timing.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { oneByOne } from '../platform/waiting/one-by-one.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { readDueSchedules, readRunsToSettle } from '../store/schedules/schedule-runs.ts'
import { fireSchedule } from './fire-schedule.ts'
import { settleOpenRun } from './settle-run.ts'

export interface SchedulerOptions {
  readonly intake: IntakeContext
  readonly clock: Clock
  readonly logger: Logger
  readonly timing: Pick<Timing, 'schedulePollMs'>
  /** Between attempts of what fails: src/schedules/settle-run.ts. */
  readonly pausesMs?: readonly number[]
  /** So long after it was opened, a run without a message is sent again: the process that opened it probably died. */
  readonly unsentAfterMs?: number
}

/** Longer than a statement may take to be answered (src/store/database.ts). */
const UNSENT_AFTER_MS = 10_000
const BATCH = 100

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #poll: Periodic

  constructor(options: SchedulerOptions) {
    this.#options = options
    const { timing, clock, logger } = options
    const tick = (signal: AbortSignal): Promise<'again' | void> => this.#tick(signal)
    this.#poll = new Periodic({ name: 'schedule poll', everyMs: timing.schedulePollMs, tick, isOutage, clock, logger })
  }

  start(): void {
    this.#poll.start()
  }

  /** What is being fired is fired to its end. Repeatable; never rejects. */
  stop(): Promise<void> {
    return this.#poll.stop()
  }

  /** Runs first: one that has ended makes way for the next. */
  async #tick(signal: AbortSignal): Promise<'again' | void> {
    const { intake, pausesMs, unsentAfterMs = UNSENT_AFTER_MS, logger } = this.#options
    const open = await readRunsToSettle(intake.database, { limit: BATCH, unsentAfterMs })
    const settling = await this.#each(open, signal, (run) => settleOpenRun({ intake, pausesMs }, run))
    const due = await readDueSchedules(intake.database, BATCH)
    const firing = await this.#each(due, signal, async (schedule) => {
      const isOurs = await fireSchedule({ intake, pausesMs }, schedule)
      if (isOurs) logger.info({ scheduleId: schedule.id, dueAt: schedule.dueAt }, 'a schedule was due')
    })
    for (const failure of [settling, firing]) if (failure !== null) throw failure
    return open.length === BATCH || due.length === BATCH ? 'again' : undefined
  }

  /** Resolves with what failed in the world; null: nothing. */
  #each<Item>(items: readonly Item[], signal: AbortSignal, act: (item: Item) => Promise<void>): Promise<unknown> {
    const onBug = (error: unknown): void =>
      this.#options.logger.error({ err: error }, 'schedule failed; the others go on, and the next poll retries it')
    return oneByOne(items, { act, isOutage, onBug, signal })
  }
}
