import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { afterRun, RETRY_PAUSES_MS } from './settle-run.ts'

const AT = new Date('2026-11-21T12:00:00Z')
const TOMORROW = new Date('2026-11-22T09:00:00Z')
const DAILY = { cron: '0 9 * * *', runAt: null, timeZone: 'UTC' }
const schedule = { ...DAILY, failures: 0, nextRunAt: TOMORROW, enabled: true }
const ended = { outcome: 'FAILED', manual: false, failure: 'No model.', at: AT } as const

/** Without a next time: a single run. */
function secondsLater(failures: number, nextRunAt: Date | null = TOMORROW): number | null {
  const cron = nextRunAt === null ? null : schedule.cron
  const planned = afterRun({ ...schedule, cron, failures, nextRunAt }, ended)
  return planned.nextRunAt === null ? null : (planned.nextRunAt.getTime() - AT.getTime()) / 1000
}

describe('a run that failed', () => {
  test('is tried again after 30 s, 1, 5, 15 and 60 minutes, and then at its next regular time', () => {
    expect([0, 1, 2, 3, 4, 5].map((failures) => secondsLater(failures))).toEqual([30, 60, 300, 900, 3600, 21 * 3600])
  })

  test('goes on after the last try no sooner than in an hour', () => {
    const inAMinute = new Date(AT.getTime() + 60_000)
    expect(secondsLater(5, inAMinute)).toBe(3600)
    expect(secondsLater(50, inAMinute)).toBe(3600)
  })

  test.each([
    [0, 10, 10],
    [0, 45, 30],
    [3, 6 * 60, 6 * 60],
    [3, 4 * 60, 15 * 60],
    [4, 38 * 60, 38 * 60],
    [4, 60 * 60, 60 * 60],
    [4, 14 * 60, 60 * 60],
  ])('after %i others, with its regular time in %i s, is tried again in %i s', (failures, regularS, expected) => {
    expect(secondsLater(failures, new Date(AT.getTime() + regularS * 1000))).toBe(expected)
  })

  test('is over after the last try when it was to run once', () => {
    expect([0, 1, 2, 3, 4, 5].map((failures) => secondsLater(failures, null))).toEqual([30, 60, 300, 900, 3600, null])
  })

  test('leaves a single run the time that it was given meanwhile', () => {
    for (const failures of [0, 3, 5]) {
      const { nextRunAt } = afterRun({ ...schedule, cron: null, failures }, ended)
      expect(nextRunAt).toEqual(TOMORROW)
    }
  })

  test('counts, and says why', () => {
    expect(afterRun({ ...schedule, failures: 2 }, ended)).toMatchObject({ failures: 3, lastError: 'No model.' })
  })

  test('is not tried again while the schedule is not enabled', () => {
    expect(afterRun({ ...schedule, enabled: false, nextRunAt: null }, ended)).toEqual({
      failures: 1,
      lastError: 'No model.',
      nextRunAt: null,
    })
  })
})

test('a run that ended well forgets the failures before it and leaves the plan', () => {
  const done = { ...ended, outcome: 'DONE', failure: null } as const
  expect(afterRun({ ...schedule, failures: 4 }, done)).toEqual({ failures: 0, lastError: null, nextRunAt: TOMORROW })
})

test('a run that was cancelled, or that a user set off, plans nothing', () => {
  for (const run of [{ ...ended, outcome: 'CANCELLED' } as const, { ...ended, manual: true }]) {
    const planned = { failures: 2, lastError: 'No model.', nextRunAt: TOMORROW }
    expect(afterRun({ ...schedule, failures: 2 }, run)).toEqual(planned)
  }
})

describe('a run that a user set off and that ended well', () => {
  const done = { ...ended, outcome: 'DONE', manual: true, failure: null } as const
  const inAnHour = new Date(AT.getTime() + 3_600_000)
  const single = { ...schedule, cron: null, runAt: new Date('2026-11-21T11:00:00Z') }

  test('takes the place of a try that was still to come', () => {
    const failed = { failures: 2, nextRunAt: inAnHour }
    expect(afterRun({ ...schedule, ...failed }, done)).toEqual({ failures: 0, lastError: null, nextRunAt: TOMORROW })
    expect(afterRun({ ...single, ...failed }, done).nextRunAt).toBeNull()
  })

  test('leaves a regular time', () => {
    for (const failures of [0, 2])
      expect(afterRun({ ...single, failures, runAt: inAnHour, nextRunAt: inAnHour }, done).nextRunAt).toEqual(inAnHour)
    const isDue = { runAt: AT, nextRunAt: AT }
    expect(afterRun({ ...single, ...isDue, failures: 1 }, { ...done, at: inAnHour }).nextRunAt).toEqual(AT)
  })
})

test('the next time never lies before the end of the run, unless it lay there already', () => {
  const outcomes = fc.constantFrom('DONE', 'FAILED', 'CANCELLED')
  fc.assert(
    fc.property(fc.nat({ max: 20 }), outcomes, fc.boolean(), (failures, outcome, manual) => {
      const { nextRunAt } = afterRun({ ...schedule, failures }, { ...ended, outcome, manual })
      expect(nextRunAt?.getTime()).toBeGreaterThanOrEqual(AT.getTime() + (RETRY_PAUSES_MS[0] ?? 0))
    }),
  )
})
