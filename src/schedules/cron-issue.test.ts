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
    ['30-10 * * * *', 'a range that ends before it begins: "30-10"'],
    ['* * * * MON#2', 'the day of the week "MON#2" must be'],
    ['? * * * *', 'the minute "?" must be'],
    ['1.5 * * * *', 'the minute "1.5" must be'],
    ['* * * * *'.padEnd(256), 'at most 255 characters'],
  ])('%j', (cron, issue) => {
    expect(cronIssue(cron)).toContain(issue)
  })
})

/** Reading it is enough to tell: what the library cannot read, it throws at. */
function read(cron: string): void {
  nextFiring(cron, 'UTC', new Date('2026-01-01'))
}

test('what has no issue, the library can read', () => {
  const items = fc.stringMatching(/^[0-9*/,\-LJANMOFRI]{1,6}$/)
  const words = fc.constantFrom('*', '*/7', '0', '7', '1-5', '1-5/2', '1,3', '12', '31', 'MON', 'JAN', 'MON-FRI', 'L')
  fc.assert(
    fc.property(fc.nat({ max: 4 }), fc.oneof(items, words), (index, text) => {
      const cron = ['0', '0', '*', '*', '*'].with(index, text).join(' ')
      if (cronIssue(cron) === null) expect(() => read(cron)).not.toThrow()
    }),
    { numRuns: 3000 },
  )
})

test('what the library cannot read has an issue', () => {
  const unreadable = [
    '60 * * * *',
    '* 24 * * *',
    '* * 32 * *',
    '* * * 0 *',
    '* * * * 8',
    'a * * * *',
    '3-1 * * * *',
    '/5 * * * *',
  ]
  for (const cron of unreadable) {
    expect(() => read(cron)).toThrow()
    expect(cronIssue(cron)).not.toBeNull()
  }
})
