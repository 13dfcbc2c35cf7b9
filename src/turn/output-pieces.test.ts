import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../platform/clock.ts'
import { OutputPieces, split } from './output-pieces.ts'

/** A clock whose timers fire when the test says so. */
function manualClock(): Clock & { fire(): void } {
  let timers: (() => void)[] = []
  return {
    now: () => new Date(0),
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    after: (_ms, action) => {
      timers.push(action)
      return () => (timers = timers.filter((timer) => timer !== action))
    },
    fire: () => {
      const due = timers
      timers = []
      for (const timer of due) timer()
    },
  }
}

describe('coalesced output', () => {
  test('nothing is lost, doubled or reordered, wherever the timer falls', () => {
    const step = fc.oneof(
      fc.record({ stream: fc.constantFrom('STDOUT', 'STDERR'), text: fc.string({ unit: 'binary', maxLength: 20 }) }),
      fc.constant('timer'),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const clock = manualClock()
        const seen: [string, string][] = []
        const pieces = new OutputPieces(clock, (stream, text) => seen.push([stream, text]))
        const given: [string, string][] = []
        for (const one of steps) {
          if (typeof one === 'string') clock.fire()
          else {
            pieces.add(one.stream, one.text)
            for (const char of Array.from(one.text)) given.push([one.stream, char])
          }
        }
        pieces.end()
        expect(seen.flatMap(([stream, text]) => Array.from(text).map((char) => [stream, char]))).toEqual(given)
      }),
    )
  })

  test('text that is whole before the timer makes no piece', () => {
    const seen: string[] = []
    const pieces = new OutputPieces(manualClock(), (_, text) => seen.push(text))
    pieces.add('STDOUT', 'all at once')
    expect(pieces.discard()).toBe(false)
    expect(seen).toEqual([])
  })
})

test('long text is cut into bounded pieces, never inside a character', () => {
  fc.assert(
    fc.property(fc.nat({ max: 3 }), (offset) => {
      const text = 'x'.repeat(offset) + '😀'.repeat(40_000)
      const pieces = split(text)
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) {
        expect(piece.isWellFormed()).toBe(true)
        expect(piece.length).toBeLessThanOrEqual(32_768)
      }
    }),
  )
})
