/** When a schedule fires, in words. */
import type { ScheduleRowFragment } from '../../generated/graphql.ts'

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

export function timingText({
  cron,
  runAt,
  timeZone,
}: Pick<ScheduleRowFragment, 'cron' | 'runAt' | 'timeZone'>): string {
  if (cron !== null) return `${cron} (${timeZone})`
  return runAt === null ? 'only when triggered' : `once, ${moment.format(new Date(runAt))}`
}

/** In the time zone in which the expression counts. */
export function firingText(at: string, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, {
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      timeZone,
    }).format(new Date(at))
  } catch {
    return at // the zone is half typed; the field says so
  }
}
