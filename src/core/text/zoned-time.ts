/** Times as prompts and notices name them: with the weekday, in a time zone of the IANA database. */

/** What an agent is told of when it is asked. */
export interface Moment {
  readonly now: Date
  readonly timeZone: string
}

/** "Monday 2026-11-23 04:15". */
export function timesIn(timeZone: string): (at: Date) => string {
  const zone = zoneOf(timeZone)
  return (at) => {
    const minute = Math.floor(at.getTime() / 60_000)
    const known = zone.times.get(minute)
    if (known !== undefined) return known
    const part = partsOf(zone.format, at)
    const text = `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`
    if (zone.times.size === MAX_TIMES) zone.times.clear()
    zone.times.set(minute, text)
    return text
  }
}

/** "Monday 2026-11-23 04:15, time zone Europe/Rome (UTC+01:00)". */
export function describeMoment(moment: Moment): string {
  const minute = Math.floor(moment.now.getTime() / 60_000)
  const known = described.get(moment.timeZone)
  if (known?.minute === minute) return known.text
  if (described.size === MAX_ZONES) described.clear()
  const text = describe(moment)
  described.set(moment.timeZone, { minute, text })
  return text
}

/** Of the zones in use: every prompt says it, and it stays for a minute. */
const described = new Map<string, { readonly minute: number; readonly text: string }>()

function describe({ now, timeZone }: Moment): string {
  const { format } = zoneOf(timeZone)
  const offset = partsOf(format, now)('timeZoneName').replace('GMT', 'UTC')
  const { timeZone: zone } = format.resolvedOptions()
  return `${timesIn(timeZone)(now)}, time zone ${zone}${zone === 'UTC' ? '' : ` (${offset})`}`
}

interface Zone {
  readonly format: Intl.DateTimeFormat
  /** By minutes since 1970: a prompt names the same times as the one before it. */
  readonly times: Map<number, string>
}

const MAX_TIMES = 1000
/** Of the zones in use: making a format costs ten times what using it does, and every prompt needs one. */
const zones = new Map<string, Zone>()
/** A name may be written in upper and lower case at will, so there are more than there are zones. */
const MAX_ZONES = 100

function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone)
  if (known !== undefined) return known
  if (zones.size === MAX_ZONES) zones.clear()
  const made = { format: makeFormat(timeZone), times: new Map<number, string>() }
  zones.set(timeZone, made)
  return made
}

/** A zone that this process does not know, because another one with newer data accepted it, counts as UTC. */
function makeFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...PARTS, timeZone })
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...PARTS, timeZone: 'UTC' })
  }
}

const PARTS = {
  weekday: 'long',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'longOffset',
} as const

function partsOf(format: Intl.DateTimeFormat, at: Date): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return (type) => parts.get(type) ?? ''
}
