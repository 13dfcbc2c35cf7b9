import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { STOP_LEVELS, StopState, type StopLevel } from './stop-state.ts'

const order = (level: StopLevel): number => STOP_LEVELS.indexOf(level)

test('whatever is requested in whatever order: it stops as far as the furthest request, and never less far than before', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...STOP_LEVELS)), (requests) => {
      const stop = new StopState()
      let furthest = 0
      for (const request of requests) {
        const before = order(stop.level)
        stop.raise(request)
        furthest = Math.max(furthest, order(request))
        expect(order(stop.level)).toBe(furthest)
        expect(order(stop.level)).toBeGreaterThanOrEqual(before)
        expect(STOP_LEVELS.filter((level) => stop.reaches(level))).toEqual(STOP_LEVELS.slice(0, furthest + 1))
      }
    }),
  )
})
