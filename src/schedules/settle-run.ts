/**
 * A run that is open is checked: has its turn ended? Then the run has, and the schedule is planned anew. Was its
 * message never sent, because a process died in between? Then it is sent now. Called by the Scheduler.
 */
import type { IntakeContext } from '../intake/intake-context.ts'
import { settleRun, type FiringSchedule, type OpenRun } from '../store/schedules/schedule-runs.ts'
import { firstRunAt, type ScheduleTiming } from './schedule-timing.ts'
import { sendRun } from './send-run.ts'

export interface SettleOptions {
  readonly intake: IntakeContext
  readonly pausesMs?: readonly number[] | undefined
}

export async function settleOpenRun(options: SettleOptions, open: OpenRun): Promise<void> {
  const ended = endOf(open)
  if (ended !== null) return settle(options, open, ended)
  const failure = await sendRun(options.intake, open.schedule, open)
  if (failure !== null) await settleFailedRun(options, open, failure)
}

type FailedRun = Pick<OpenRun, 'runId' | 'schedule'> & { readonly manual: boolean }

/** Its message cannot be sent. */
export async function settleFailedRun(options: SettleOptions, run: FailedRun, failure: string): Promise<void> {
  await settle(options, run, { outcome: 'FAILED', manual: run.manual, failure, at: options.intake.clock.now() })
}

/** Null: its message is not there yet. */
function endOf({ messageStatus, sent, manual, turnFailure, finishedAt, now }: OpenRun): EndedRun | null {
  const at = finishedAt ?? now
  if (messageStatus === 'DONE') return { outcome: 'DONE', manual, failure: null, at }
  if (messageStatus === 'CANCELLED')
    return { outcome: 'CANCELLED', manual, at, failure: turnFailure ?? 'It was cancelled.' }
  if (messageStatus === 'FAILED') return { outcome: 'FAILED', manual, at, failure: turnFailure ?? 'Its turn failed.' }
  // Only what has ended can be deleted: nothing is to be tried again.
  return sent ? { outcome: 'CANCELLED', manual, at, failure: 'Its session was deleted.' } : null
}

/** Does nothing when the schedule was changed meanwhile: the next poll reads its new row. */
async function settle(
  { intake, pausesMs }: SettleOptions,
  { runId, schedule }: Pick<OpenRun, 'runId' | 'schedule'>,
  ended: EndedRun,
): Promise<void> {
  const status = ended.outcome === 'DONE' ? 'DONE' : 'FAILED'
  const { failure, at: finishedAt } = ended
  const planned = afterRun(schedule, ended, pausesMs)
  await settleRun(intake.database, schedule, { runId, status, failure, finishedAt, ...planned })
  const { id, userName } = schedule
  intake.doorbell.ring({ kind: 'schedule', id, userName })
}

/**
 * What becomes of a schedule when a run of it has ended. One that failed is tried again after growing pauses, or at a
 * regular time that comes sooner, but not before the pause before would be over; when there are no pauses left, a cron
 * schedule goes on with its next regular time (no sooner than after the longest pause), and a single run is over. Other
 * regular times that fall into a pause are not made up for. A run that was cancelled was not wanted, so it is not tried
 * again. After a run that a user started, nothing is planned: the user sees how it ends; when it ends well, no try of
 * an earlier one follows. A single run that was given another time meanwhile keeps that.
 */
export const RETRY_PAUSES_MS: readonly number[] = [30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000]

interface EndedRun {
  readonly outcome: 'DONE' | 'FAILED' | 'CANCELLED'
  readonly manual: boolean
  /** Why, unless it is DONE. */
  readonly failure: string | null
  readonly at: Date
}

/** What a run's end may change. */
interface ScheduleState {
  readonly failures: number
  readonly lastError: string | null
  readonly nextRunAt: Date | null
}

type PlannedSchedule = ScheduleTiming & Pick<FiringSchedule, 'failures' | 'nextRunAt' | 'enabled'>

export function afterRun(
  schedule: PlannedSchedule,
  { outcome, manual, failure, at }: EndedRun,
  pausesMs: readonly number[] = RETRY_PAUSES_MS,
): ScheduleState {
  const { failures, nextRunAt, enabled } = schedule
  if (outcome === 'DONE')
    return { failures: 0, lastError: null, nextRunAt: manual ? withoutTry(schedule, at) : nextRunAt }
  if (outcome === 'CANCELLED' || manual) return { failures, lastError: failure, nextRunAt }
  const failed = { failures: failures + 1, lastError: failure }
  return { ...failed, nextRunAt: enabled ? nextTry(schedule, at, pausesMs) : null }
}

/** What failed before has been done by hand: a try that is still to come would do it twice. */
function withoutTry(schedule: PlannedSchedule, at: Date): Date | null {
  const { failures, runAt, nextRunAt } = schedule
  const isTry = failures > 0 && nextRunAt !== null && nextRunAt.getTime() !== runAt?.getTime()
  return isTry ? firstRunAt(schedule, at) : nextRunAt
}

/** Null: a single run is over. */
function nextTry({ cron, failures, nextRunAt }: PlannedSchedule, at: Date, pausesMs: readonly number[]): Date | null {
  // While it ran, its user gave the single run another time: a try before that would be taken for it.
  if (cron === null && nextRunAt !== null) return nextRunAt
  const pauseMs = pausesMs[failures]
  if (pauseMs !== undefined) {
    const tryAt = new Date(at.getTime() + pauseMs)
    // Pauses that no longer grew would have a schedule that fires every minute fail every minute.
    const soonest = at.getTime() + (pausesMs[failures - 1] ?? 0)
    return nextRunAt !== null && nextRunAt.getTime() >= soonest && nextRunAt < tryAt ? nextRunAt : tryAt
  }
  const soonest = at.getTime() + (pausesMs.at(-1) ?? 0)
  return nextRunAt === null ? null : new Date(Math.max(nextRunAt.getTime(), soonest))
}
