/**
 * When a schedule fires: by a cron expression in a time zone, or once. The rules for what people may say about that.
 */
import type { InputIssue } from '../core/refusal.ts'
import { cronIssue } from './cron-issue.ts'
import { nextFiring } from './next-firing.ts'
import { timeZoneIssue } from '../config/schema/time-zone-issue.ts'

export interface ScheduleTiming {
  readonly cron: string | null
  /** Exactly one of `cron` and `runAt` is not null. */
  readonly runAt: Date | null
  readonly timeZone: string
}

export const DEFAULT_TIME_ZONE = 'UTC'

/** `now`: what is to fire must lie behind it. */
export function timingIssues({ cron, runAt, timeZone }: ScheduleTiming, now: Date): InputIssue[] {
  const zone = timeZoneIssue(timeZone)
  const zoneIssues = zone === null ? [] : [{ path: ['timeZone'], message: zone }]
  if (cron !== null && runAt !== null)
    return [
      ...zoneIssues,
      { path: ['runAt'], message: 'must be left out when "cron" is given: a schedule has one of them' },
    ]
  if (runAt !== null) return [...zoneIssues, ...(runAt > now ? [] : [{ path: ['runAt'], message: PAST }])]
  if (cron === null) return [...zoneIssues, { path: ['cron'], message: 'must be given, or "runAt" for a single run' }]
  const issue = cronIssue(cron)
  if (issue !== null) return [...zoneIssues, { path: ['cron'], message: issue }]
  if (zone !== null || nextFiring(cron, timeZone, now) !== null) return zoneIssues
  return [{ path: ['cron'], message: 'names a day that never comes' }]
}

const PAST = 'must lie in the future'

/** The first time after `after`; null when there is none any more. */
export function firstRunAt({ cron, runAt, timeZone }: ScheduleTiming, after: Date): Date | null {
  if (cron !== null) return nextFiring(cron, timeZone, after)
  return runAt !== null && runAt > after ? runAt : null
}
