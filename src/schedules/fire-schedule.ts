/** A schedule is due: a run is opened and its message sent, or it is recorded why not. Called by the Scheduler. */
import { currentUser } from '../config/access/current-user.ts'
import type { IntakeContext } from '../intake/intake-context.ts'
import { newId } from '../platform/id.ts'
import { openRun, skipRun, type DueSchedule } from '../store/schedules/schedule-runs.ts'
import { newRun } from './new-run.ts'
import { nextFiring } from './next-firing.ts'
import { ownerGone, sendRun } from './send-run.ts'
import { settleFailedRun } from './settle-run.ts'
import { timeZoneIssue } from '../config/schema/time-zone-issue.ts'

export interface FireOptions {
  readonly intake: IntakeContext
  readonly pausesMs?: readonly number[] | undefined
}

/**
 * What was missed comes to one run: the next time is reckoned from now. Several processes may call this for the same
 * firing; one of them does it. True: this one.
 */
export async function fireSchedule(options: FireOptions, due: DueSchedule): Promise<boolean> {
  const isOurs = await fire(options, due)
  const { id, userName } = due
  if (isOurs) options.intake.doorbell.ring({ kind: 'schedule', id, userName })
  return isOurs
}

async function fire(options: FireOptions, due: DueSchedule): Promise<boolean> {
  const { intake } = options
  const problem = problemOf(intake, due)
  if (problem !== null) return pause(intake, due, problem)
  const nextRunAt = due.cron === null ? null : nextFiring(due.cron, due.timeZone, due.now)
  const { dueAt, now: at } = due
  const reason = whyNotNow(due)
  if (reason !== null) {
    const skipped = { id: newId('scheduleRun'), dueAt, at, nextRunAt, pauses: null, reason }
    return skipRun(intake.database, due, skipped)
  }
  const run = newRun(due, { dueAt, at, manual: false })
  if (!(await openRun(intake.database, due, { run, nextRunAt }))) return false
  const schedule = { ...due, nextRunAt, version: due.version + 1 }
  const failure = await sendRun(intake, schedule, { ...run, runId: run.id })
  if (failure !== null) await settleFailedRun(options, { ...run, runId: run.id, schedule }, failure)
  return true
}

function whyNotNow(due: DueSchedule): string | null {
  if (due.hasOpenRun) return 'The run before it had not ended.'
  return due.isMadeUpFor && isTry(due) ? 'A user had the failed turn tried again, and it ended well.' : null
}

/** It is due because a run failed, and not by its plan. */
function isTry({ cron, runAt, timeZone, dueAt }: DueSchedule): boolean {
  const planned = cron === null ? runAt : nextFiring(cron, timeZone, new Date(dueAt.getTime() - 1))
  return planned?.getTime() !== dueAt.getTime()
}

/** Why the schedule cannot go on at all. */
function problemOf({ config }: IntakeContext, { userName, timeZone }: DueSchedule): string | null {
  if (currentUser(config.current(), userName) === null) return ownerGone(userName)
  const zone = timeZoneIssue(timeZone)
  return zone === null ? null : `The time zone ${zone}.`
}

/** Until a user enables it again. */
function pause({ database }: IntakeContext, due: DueSchedule, reason: string): Promise<boolean> {
  const { id, dueAt, now: at, userName, tokenName } = due
  const detail = `${id} of ${userName}: ${reason}`
  const entry = { at, sessionId: null, turnId: null, actor: 'scheduler', tokenName }
  const pauses = [{ ...entry, body: { kind: 'CONFIG', change: 'SCHEDULE_PAUSED', detail } as const }]
  return skipRun(database, due, { id: newId('scheduleRun'), dueAt, at, nextRunAt: null, pauses, reason })
}
