/** What is wrong with the name of a time zone: it must be one of the IANA database, as this runtime knows it. */
import { didYouMean } from '../../platform/closest.ts'

const MAX_LENGTH = 64

/**
 * Null when the zone is known. Offsets such as "+02:00" are refused: they know no daylight saving, and people forget
 * that.
 */
export function timeZoneIssue(zone: string): string | null {
  if (zone.length <= MAX_LENGTH && /^[A-Za-z]/.test(zone) && isKnown(zone)) return null
  const shown = JSON.stringify(zone.slice(0, MAX_LENGTH))
  return `must be the name of a time zone such as "Europe/Berlin" or "UTC"; ${shown} is none${hint(zone)}`
}

function isKnown(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false // RangeError: no such zone
  }
}

function hint(zone: string): string {
  return zone.length > MAX_LENGTH ? '' : didYouMean(zone, Intl.supportedValuesOf('timeZone'))
}
