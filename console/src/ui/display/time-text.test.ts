import { expect, test } from 'vitest'
import { countOf, countText, durationText, relativeText, sizeText } from './time-text.ts'

const NOW = Date.UTC(2026, 10, 25, 12)
const MINUTE = 60_000

test.each([
  [0, 'now'],
  [40_000, 'now'],
  [-5000, 'now'],
  [5 * MINUTE, '5 min ago'],
  [-90 * MINUTE, 'in 2 h'],
  [26 * 60 * MINUTE, '1 d ago'],
])('%d ms ago is "%s"', (ago, text) => {
  expect(relativeText(NOW - ago, NOW)).toBe(text)
})

test('beyond a week it is a date, with its year when that is another one', () => {
  expect(relativeText(NOW - 20 * 24 * 60 * MINUTE, NOW)).toMatch(/^(5 Nov|Nov 5)$/)
  expect(relativeText(Date.UTC(2024, 0, 3, 12), NOW)).toContain('2024')
})

test('durations, sizes and counts are short', () => {
  expect([12.4, 4200, 42_000, 185_000, 7_800_000].map(durationText)).toEqual([
    '12 ms',
    '4.2 s',
    '42 s',
    '3 min 5 s',
    '2 h 10 min',
  ])
  expect([512, 4000, 1_200_000].map(sizeText)).toEqual(['512 B', '4.0 kB', '1.2 MB'])
  expect([12, 4200, 42_000, 1_300_000].map(countText)).toEqual(['12', '4.2k', '42k', '1.3M'])
  expect([0, 1, 2].map((count) => countOf(count, 'call'))).toEqual(['0 calls', '1 call', '2 calls'])
})
