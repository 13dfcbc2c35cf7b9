/** Held against a slow and simple reckoning: try every minute, on days on which clocks change. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../test/harness/rounds.ts'
import { cronIssue } from './cron-issue.ts'
import { nextFiring } from './next-firing.ts'

const MINUTE_MS = 60_000

/** A zone, and a time around which its clocks change (or nothing happens), as UTC. */
const WINDOWS = [
  ['UTC', '2026-11-20T00:00:00Z'],
  ['Europe/Berlin', '2026-03-28T06:00:00Z'],
  ['Europe/Berlin', '2026-10-24T06:00:00Z'],
  ['America/New_York', '2026-03-07T12:00:00Z'],
  ['America/New_York', '2026-10-31T12:00:00Z'],
  // By half an hour.
  ['Australia/Lord_Howe', '2026-04-04T00:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T00:00:00Z'],
  // At midnight.
  ['America/Sao_Paulo', '2018-11-03T12:00:00Z'],
  ['Asia/Kathmandu', '2024-02-28T00:00:00Z'],
] as const
const DAYS = 2

interface Minute {
  readonly atMs: number
  readonly minute: number
  readonly hour: number
  readonly day: number
  readonly month: number
  readonly weekday: number
}

const windows = WINDOWS.map(([timeZone, from]) => ({
  timeZone,
  from: new Date(from),
  minutes: minutesOf(timeZone, from),
}))

function minutesOf(timeZone: string, from: string): Minute[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    weekday: 'short',
  })
  return Array.from({ length: DAYS * 24 * 60 }, (_, index) => {
    const atMs = Date.parse(from) + index * MINUTE_MS
    const parts = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, value]))
    const { minute, hour, day, month, weekday = '' } = parts
    const [m, h, d, mo] = [minute, hour, day, month].map(Number)
    return {
      atMs,
      minute: m ?? 0,
      hour: h ?? 0,
      day: d ?? 0,
      month: mo ?? 0,
      weekday: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(weekday),
    }
  })
}

/** A field of an expression, and what it matches. `isWild`: with "*" or a step. */
interface Field {
  readonly text: string
  readonly isWild: boolean
  readonly matches: (value: number) => boolean
}

function fieldArbitrary(min: number, max: number, { steps }: { steps: boolean }): fc.Arbitrary<Field> {
  const value = fc.integer({ min, max })
  const star: fc.Arbitrary<Field> = fc.constant({ text: '*', isWild: true, matches: () => true })
  const list = fc.uniqueArray(value, { minLength: 1, maxLength: 4 }).map((values): Field => ({
    text: values.join(','),
    isWild: false,
    matches: (one) => values.includes(one),
  }))
  const range = fc.tuple(value, value).map(([a, b]): Field => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)]
    return { text: `${from}-${to}`, isWild: false, matches: (one) => one >= from && one <= to }
  })
  if (!steps) return fc.oneof(star, list, range)
  const everyNth = fc.integer({ min: 1, max: max - min }).map((step): Field => ({
    text: `*/${step}`,
    isWild: true,
    matches: (one) => (one - min) % step === 0,
  }))
  return fc.oneof(star, list, range, everyNth)
}

const expressions = fc.record({
  minute: fieldArbitrary(0, 59, { steps: true }),
  hour: fieldArbitrary(0, 23, { steps: true }),
  day: fieldArbitrary(1, 31, { steps: false }),
  weekday: fieldArbitrary(0, 6, { steps: false }),
})
type Expression = typeof expressions extends fc.Arbitrary<infer T> ? T : never

function textOf({ minute, hour, day, weekday }: Expression): string {
  return `${minute.text} ${hour.text} ${day.text} * ${weekday.text}`
}

function isOnDay({ day, weekday }: Expression, at: Minute): boolean {
  if (day.isWild || weekday.isWild) return day.matches(at.day) && weekday.matches(at.weekday)
  return day.matches(at.day) || weekday.matches(at.weekday)
}

/** All firings of the window, by the rules in next-firing.ts. The first minute of the window belongs to no firing. */
function reckon(expression: Expression, minutes: readonly Minute[]): number[] {
  const isFixed = !expression.minute.isWild && !expression.hour.isWild
  const fires = minutes.filter((at, index) => {
    if (index === 0) return false
    const isNow = isOnDay(expression, at) && expression.hour.matches(at.hour) && expression.minute.matches(at.minute)
    if (!isFixed) return isNow
    return (
      (isNow && !isRepeated(minutes, index)) || skippedBefore(minutes, index).some((one) => matchesAll(expression, one))
    )
  })
  return fires.map(({ atMs }) => atMs)
}

/** Clocks were put back since: the same local time was there before, at most so long ago. */
function isRepeated(minutes: readonly Minute[], index: number): boolean {
  const at = minutes[index]
  return at !== undefined && minutes.slice(Math.max(0, index - 180), index).some((one) => isSameTime(one, at))
}

function isSameTime(one: Minute, other: Minute): boolean {
  return one.day === other.day && one.hour === other.hour && one.minute === other.minute
}

function matchesAll(expression: Expression, at: Minute): boolean {
  return isOnDay(expression, at) && expression.hour.matches(at.hour) && expression.minute.matches(at.minute)
}

/** The local times that do not exist, because clocks were put forward to this minute. */
function skippedBefore(minutes: readonly Minute[], index: number): Minute[] {
  const [before, at] = [minutes[index - 1], minutes[index]]
  if (before === undefined || at === undefined) return []
  const skipped: Minute[] = []
  for (let local = 1; local < 180; local += 1) {
    const time = before.hour * 60 + before.minute + local
    const isNextDay = time >= 24 * 60
    const one = { ...(isNextDay ? at : before), hour: Math.floor(time / 60) % 24, minute: time % 60 }
    if (isSameTime(one, at)) return skipped
    skipped.push(one)
  }
  return [] // clocks went back
}

/** All firings of the window, one after another. */
function follow(cron: string, timeZone: string, { from, untilMs }: { from: Date; untilMs: number }): number[] {
  const fired: number[] = []
  for (let at = nextFiring(cron, timeZone, from); at !== null && at.getTime() < untilMs;) {
    fired.push(at.getTime())
    at = nextFiring(cron, timeZone, at)
  }
  return fired
}

type Example = [name: string, cron: string, zone: string, after: string, expected: string]

describe('what fires, and when', () => {
  test.each(windows)('is what trying every minute finds: $timeZone, $from', ({ timeZone, from, minutes }) => {
    const untilMs = from.getTime() + DAYS * 24 * 60 * MINUTE_MS
    fc.assert(
      fc.property(expressions, (expression) => {
        const cron = textOf(expression)
        expect(cronIssue(cron)).toBeNull()
        expect(follow(cron, timeZone, { from, untilMs })).toEqual(reckon(expression, minutes))
      }),
      { numRuns: rounds(6, 30) },
    )
  })

  test('is strictly later, on a full minute, and the same however near one asks', () => {
    const zones = fc.constantFrom(...new Set(WINDOWS.map(([zone]) => zone)), 'Pacific/Apia', 'Africa/Casablanca')
    const times = fc.date({ min: new Date('2011-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
    fc.assert(
      fc.property(expressions, zones, times, (expression, zone, after) => {
        const cron = textOf(expression)
        const first = nextFiring(cron, zone, after)
        const second = first === null ? null : nextFiring(cron, zone, first)
        expect(first?.getTime()).toBeGreaterThan(after.getTime())
        expect((first?.getTime() ?? 0) % MINUTE_MS).toBe(0)
        expect(second?.getTime()).toBeGreaterThanOrEqual((first?.getTime() ?? 0) + MINUTE_MS)
        expect(nextFiring(cron, zone, new Date((first?.getTime() ?? 0) - 1))).toEqual(first)
      }),
      { numRuns: rounds(40, 200) },
    )
  })

  test.each<Example>([
    ['a gap: right after it', '30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00Z'],
    ['the day after a gap: as ever', '30 2 * * *', 'Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'],
    ['a fold: the first time', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00Z'],
    ['a fold: not again', '30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26T01:30:00Z'],
    ['a fold: intervals go on', '*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z'],
    ['a leap day', '0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['a century without one', '0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z', '2104-02-29T00:00:00Z'],
    ['the 31st: months that have one', '0 0 31 * *', 'UTC', '2026-03-31T00:00:00Z', '2026-05-31T00:00:00Z'],
    ['the last day of a month', '0 9 L * *', 'UTC', '2026-02-01T00:00:00Z', '2026-02-28T09:00:00Z'],
    ['the last day of a leap February', '0 9 L * *', 'UTC', '2028-02-01T00:00:00Z', '2028-02-29T09:00:00Z'],
    ['the end of a year', '59 23 31 12 *', 'Asia/Tokyo', '2026-12-31T00:00:00Z', '2026-12-31T14:59:00Z'],
    ['Sunday is 0 and 7', '0 0 * * 7', 'UTC', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['to Sunday', '0 0 * * SAT-7', 'UTC', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['a day that the zone never had', '0 12 30 12 *', 'Pacific/Apia', '2011-12-29T12:00:00Z', '2012-12-29T22:00:00Z'],
  ])('%s', (...[, cron, zone, after, expected]) => {
    expect(cronIssue(cron)).toBeNull()
    expect(nextFiring(cron, zone, new Date(after))).toEqual(new Date(expected))
  })

  test.each(['0 0 30 2 *', '0 0 31 4,6,9,11 *'])('a day that never comes: %s', (cron) => {
    expect(nextFiring(cron, 'Europe/Berlin', new Date('2026-01-01'))).toBeNull()
  })
})
