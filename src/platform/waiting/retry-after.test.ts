import { describe, expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const now = new Date('2026-11-21T12:00:00Z')

describe('retryAfterMs', () => {
  test.each<[string, Record<string, string>, number | null]>([
    ['seconds', { 'retry-after': '3' }, 3000],
    ['fractions of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds, which are more exact', { 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    ['a date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
    ['a date that has passed', { 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, 0],
    ['nothing', {}, null],
    ['a negative number', { 'retry-after': '-3' }, null],
    ['words', { 'retry-after': 'soon' }, null],
    ['an empty value', { 'retry-after': '' }, null],
  ])('understands %s', (_, headers, expected) => {
    expect(retryAfterMs(new Headers(headers), now)).toBe(expected)
  })

  test('understands that there are no headers', () => {
    expect(retryAfterMs(undefined, now)).toBeNull()
  })
})
