import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cronIssue } from './cron-issue.ts'
import { nextFiring } from './next-firing.ts'

describe('an expression that can be read', () => {
  test.each(['* * * * *', '0 9 * * MON-FRI', '*/15 8-18 1,15,L jan-MAR,12 *', '5-59/10 0 31 * 7', '  0  0\t1 1 *  '])(
    '%j',
    (cron) => {
      expect(cronIssue(cron)).toBeNull()
    },
  )
})

describe('one that cannot', () => {
  test.each([
    ['', 'must have five fields'],
    ['@daily', 'must have five fields'],
    ['0 0 9 * * *', 'not 6'],
    ['61 * * * *', 'the minute "61" must be "*", 0 to 59, or a list or range of that'],
    ['* 24 * * *', 'the hour "24" must be "*", 0 to 23'],
    ['* * 0 * *', 'the day of the month "0" must be "*", 1 to 31, "L" (the last)'],
    ['* * * 13 *', 'the month "13" must be "*", 1 to 12, JAN to DEC'],
    ['* * * * 8', 'the day of the week "8" must be "*", 0 to 7, SUN to SAT'],
    ['* * * MAI *', 'the month "MAI" must be'],
    ['1,,2 * * * *', 'the minute "1,,2" has an empty place between commas'],
    ['*/0 * * * *', 'has the step "0", which must be 1 to 59'],
    ['*/5/5 * * * *', 'more than one "/"'],
    ['1-2-3 * * * *', 'more than one "-"'],
    ['5/10 * * * *', 'write "5-59/10" or "*/10"'],
    ['30-10 * * * *', 'a range that ends before it begins: "30-10"; write it as two: "30-59,0-10"'],
    ['0 22-6 * * *', 'write it as two: "22-23,0-6"'],
    ['0 0 * NOV-feb *', 'write it as two: "NOV-12,1-feb"'],
    ['0 0 * * SAT-MON', 'write it as two: "SAT-7,0-MON"'],
    ['0 0 * SEP-SUN *', 'the month "SEP-SUN" must be'],
    ['* * * * MON#2', 'the day of the week "MON#2" must be'],
    ['? * * * *', 'the minute "?" must be'],
    ['1.5 * * * *', 'the minute "1.5" must be'],
    ['* * * * *'.padEnd(256), 'at most 255 characters'],
  ])('%j', (cron, issue) => {
    expect(cronIssue(cron)).toContain(issue)
  })
})

/** What the library throws at it; null when it can read it. */
function thrownAt(cron: string): unknown {
  try {
    nextFiring(cron, 'UTC', new Date('2026-01-01'))
    return null
  } catch (error) {
    return error
  }
}

test.each([
  ['0 0 * * FRI-SUN', '0 0 * * 5,6,0'],
  ['0 0 * * mon-sun', '0 0 * * *'],
  ['0 0 * * SAT-7,0-MON', '0 0 * * 6,0,1'],
  ['0 22-23,0-6 * * *', '0 0,1,2,3,4,5,6,22,23 * * *'],
  ['0 0 1 NOV-12,1-feb *', '0 0 1 11,12,1,2 *'],
])('%s fires as %s does', (cron, plain) => {
  expect(cronIssue(cron)).toBeNull()
  expect(nextTen(cron)).toEqual(nextTen(plain))
})

function nextTen(cron: string): (Date | null)[] {
  const times: (Date | null)[] = [new Date('2026-01-01')]
  for (let n = 0; n < 10; n += 1) times.push(nextFiring(cron, 'UTC', times.at(-1) ?? new Date(0)))
  return times
}

test('what has no issue, the library can read', () => {
  const items = fc.stringMatching(/^[0-9*/,\-LJANMOFRISU]{1,7}$/)
  const words = fc.constantFrom(
    '*',
    '*/7',
    '0',
    '7',
    '1-5',
    '1-5/2',
    '1,3',
    '12',
    '31',
    'MON',
    'JAN',
    'MON-FRI',
    'FRI-SUN',
    'L',
  )
  let readable = 0
  fc.assert(
    fc.property(fc.nat({ max: 4 }), fc.oneof(items, words), (index, text) => {
      const cron = ['0', '0', '*', '*', '*'].with(index, text).join(' ')
      const thrown = thrownAt(cron)
      readable += thrown === null ? 1 : 0
      expect(cronIssue(cron) === null && thrown !== null).toBe(false)
    }),
    { numRuns: 3000 },
  )
  expect(readable).toBeGreaterThan(300)
})

test.each([
  '60 * * * *',
  '* 24 * * *',
  '* * 32 * *',
  '* * * 0 *',
  '* * * * 8',
  'a * * * *',
  '3-1 * * * *',
  '/5 * * * *',
])('what the library cannot read has an issue: %s', (cron) => {
  expect(thrownAt(cron)).not.toBeNull()
  expect(cronIssue(cron)).not.toBeNull()
})
