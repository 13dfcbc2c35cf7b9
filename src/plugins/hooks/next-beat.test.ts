import { expect, test } from 'vitest'
import { atNextBeat } from './next-beat.ts'

/** When what begins to wait then is due. */
function dueAt(nowMs: number): number {
  let afterMs = 0
  const after = (ms: number): (() => void) => {
    afterMs = ms
    return () => {}
  }
  atNextBeat({ monotonicMs: () => nowMs, after }, () => {})
  return nowMs + afterMs
}

test('what came at different times is due at the same time', () => {
  expect([dueAt(1000), dueAt(1001.5), dueAt(1249)]).toEqual([1250, 1250, 1250])
  expect(dueAt(1250)).toBe(1500)
})
