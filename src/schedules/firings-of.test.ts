import { expect, test } from 'vitest'
import { firingsOf } from './firings-of.ts'

const NOW = new Date('2026-11-25T10:30:00.000Z')

test('the next times, in the time zone', () => {
  const { times, problem } = firingsOf({ cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin', now: NOW, count: 3 })
  expect(problem).toBeNull()
  expect(times.map((time) => time.toISOString())).toEqual([
    '2026-11-26T08:00:00.000Z',
    '2026-11-27T08:00:00.000Z',
    '2026-11-30T08:00:00.000Z',
  ])
})

test.each([
  ['0 9 * *', null, 'The expression must have five fields'],
  ['0 25 * * *', null, 'The hour "25" must be'],
  ['0 9 * * *', 'Europe/Berlim', 'The time zone must be'],
  ['0 0 30 2 *', null, 'The expression names a day that never comes.'],
])('%s in %s: what is wrong', (cron, timeZone, said) => {
  const { times, problem } = firingsOf({ cron, timeZone, now: NOW, count: 3 })
  expect(times).toEqual([])
  expect(problem).toMatch(new RegExp(`^${said}`))
})
