import { expect, test } from 'vitest'
import { lastDays, stackUsage, type UsageRow } from './stack-usage.ts'

const row = (day: string, key: string | null, inputTokens: number): UsageRow => ({
  day,
  key,
  usage: { calls: 1, inputTokens, outputTokens: 1, cost: null },
})

test('a layer for each key, the largest first, all others last; a day without calls is nothing', () => {
  const days = lastDays(3, new Date('2026-11-21T23:30:00Z'))
  expect(days).toEqual(['2026-11-19', '2026-11-20', '2026-11-21'])
  const rows = [
    row('2026-11-19', 'a', 9),
    row('2026-11-19', null, 900),
    row('2026-11-21', 'b', 99),
    row('2026-01-01', 'c', 5),
  ]
  expect(stackUsage(rows, 'tokens', days)).toEqual({
    days,
    layers: [
      { label: 'b', amounts: [0, 0, 100], total: 100 },
      { label: 'a', amounts: [10, 0, 0], total: 10 },
      { label: 'all others', amounts: [901, 0, 0], total: 901 },
    ],
  })
})
