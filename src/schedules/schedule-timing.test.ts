import { describe, expect, test } from 'vitest'
import { firstRunAt, timingIssues, type ScheduleTiming } from './schedule-timing.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const DAILY: ScheduleTiming = { cron: '0 9 * * *', runAt: null, timeZone: 'UTC' }
const ONCE: ScheduleTiming = { cron: null, runAt: new Date('2026-11-21T12:00:01Z'), timeZone: 'UTC' }

function issues(timing: Partial<ScheduleTiming>): string[] {
  return timingIssues({ ...DAILY, ...timing }, NOW).map(({ path, message }) => `${path.join('.')} ${message}`)
}

describe('what is wrong with it', () => {
  test('nothing', () => {
    expect([...timingIssues(DAILY, NOW), ...timingIssues(ONCE, NOW)]).toEqual([])
  })

  test.each([
    ['both', { runAt: ONCE.runAt }, 'runAt must be left out when "cron" is given'],
    ['neither', { cron: null }, 'cron must be given, or "runAt" for a single run'],
    ['the past', { cron: null, runAt: NOW }, 'runAt must lie in the future'],
    ['no cron', { cron: '61 * * * *' }, 'cron the minute "61" must be'],
    ['a day that never comes', { cron: '0 0 30 2 *' }, 'cron names a day that never comes'],
    ['a mistyped zone', { timeZone: 'Europe/Berlim' }, '"Europe/Berlim" is none (did you mean "Europe/Berlin"?)'],
    ['an offset', { timeZone: '+02:00' }, 'timeZone must be the name of a time zone such as "Europe/Berlin" or "UTC"'],
    ['a long zone', { timeZone: 'x'.repeat(100_000) }, 'timeZone must be the name'],
    ['no zone', { timeZone: '' }, 'timeZone must be the name'],
  ])('%s', (_case, timing, issue) => {
    expect(issues(timing)).toEqual([expect.stringContaining(issue)])
  })

  test('everything at once', () => {
    expect(issues({ timeZone: 'Mars/Base', cron: 'x' })).toHaveLength(2)
  })
})

test('the first time: by cron, once, or no more', () => {
  expect(firstRunAt({ ...DAILY, timeZone: 'Asia/Tokyo' }, NOW)).toEqual(new Date('2026-11-22T00:00:00Z'))
  expect(firstRunAt(ONCE, NOW)).toEqual(ONCE.runAt)
  expect(firstRunAt(ONCE, new Date('2026-11-21T12:00:01Z'))).toBeNull()
})
