import { expect, test } from 'vitest'
import { LateLoads } from './late-loads.ts'

test('what was late is loaded again after growing pauses, until it is loaded', () => {
  let ms = 0
  const late = new LateLoads({ monotonicMs: () => ms })
  expect([late.isDue('slow'), late.statusOf('slow')]).toEqual([false, null])
  for (const ceilingMs of [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
    late.took('slow', { isLate: true })
    ms += ceilingMs / 2 - 1
    expect(late.isDue('slow')).toBe(false)
    ms += ceilingMs / 2 + 1
    expect(late.isDue('slow')).toBe(true)
    expect(late.statusOf('slow')).toBe(ceilingMs < 160_000 ? 'STARTING' : 'DEGRADED')
  }
  late.took('slow', { isLate: false })
  expect([late.isDue('slow'), late.statusOf('slow')]).toEqual([false, null])
})
