/**
 * When a cron expression fires next, in its time zone (the library croner; https://github.com/Hexagon/croner). Where
 * clocks change: a time of day that is skipped fires at the first moment after the gap, one that comes twice fires the
 * first time; an expression with `*` or a step in minute or hour goes by intervals, and just goes on.
 */
import { Cron } from 'croner'

/**
 * Strictly later than `after`, on a full minute. Null: the day never comes (30 February). `cron` and `timeZone` are
 * valid.
 */
export function nextFiring(cron: string, timeZone: string, after: Date): Date | null {
  return new Cron(cron, { timezone: timeZone, mode: '5-part', fixedTimeRule: 'no-wildcard' }).nextRun(after)
}
