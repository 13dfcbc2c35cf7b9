import { expect, test } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { RateLimit } from './rate-limit.ts'

test('a minute may come at once, then one trickles in at a time; tokens do not share', () => {
  let nowMs = 0
  let perMinute = 60
  const limit = new RateLimit({ ...systemClock, monotonicMs: () => nowMs }, () => perMinute)
  for (let n = 0; n < 60; n += 1) expect(limit.take('a')).toBe(0)
  expect(limit.take('a')).toBe(1000)
  expect(limit.take('b')).toBe(0)
  nowMs = 400
  expect(limit.take('a')).toBe(600)
  nowMs = 1000
  expect(limit.take('a')).toBe(0)
  expect(limit.take('a')).toBe(1000)
  nowMs = 3_600_000
  for (let n = 0; n < 60; n += 1) expect(limit.take('a')).toBe(0)
  expect(limit.take('a')).toBe(1000)
  // A changed configuration holds from the next operation on.
  perMinute = 6000
  nowMs += 10
  expect(limit.take('a')).toBe(0)
})
