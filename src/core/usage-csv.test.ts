import { expect, test } from 'vitest'
import { usageCsv, type UsageCsvRow } from './usage-csv.ts'

const head = { by: 'user', from: '2026-11-01', to: '2026-11-30' }
const usage = { calls: 2, inputTokens: 1200, outputTokens: 30, cachedTokens: 400, cost: null }
const row = (key: string): UsageCsvRow => ({ key, unpricedCalls: 0, usage })

test('a line per key, with days in UTC, a point in amounts, and what has no price', () => {
  const cost = { amount: '0.0123', currency: 'EUR' }
  const csv = usageCsv(head, [
    { key: 'jürgen', unpricedCalls: 0, usage: { ...usage, cost } },
    { ...row('ben'), unpricedCalls: 2 },
  ])
  expect(csv.startsWith('\uFEFF')).toBe(true)
  expect(csv.slice(1).split('\r\n')).toEqual([
    'user,first_day_utc,last_day_utc,calls,input_tokens,output_tokens,cached_tokens,cost,currency,calls_without_price',
    '"jürgen",2026-11-01,2026-11-30,2,1200,30,400,0.0123,"EUR",0',
    '"ben",2026-11-01,2026-11-30,2,1200,30,400,,"",2',
    '',
  ])
})

test.each([
  ['=cmd()', `"'=cmd()"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@ben:demo', `"'@ben:demo"`],
  ['\t=1', `"'\t=1"`],
  [' =1', `"' =1"`],
  ['a,b;c', '"a,b;c"'],
  ['a "b"\nc', '"a ""b""\nc"'],
])('no name is a formula or leaves its cell: %j', (key, cell) => {
  expect(usageCsv(head, [row(key)])).toContain(`\r\n${cell},2026-11-01,`)
})
