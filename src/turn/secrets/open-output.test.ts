import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../test/harness/manual-clock.ts'
import { OpenOutput } from './open-output.ts'
import { splitOutput } from './split-output.ts'

describe('output that can hold no secret', () => {
  test('loses, doubles and reorders nothing, wherever the timer falls', () => {
    const step = fc.oneof(
      fc.record({ stream: fc.constantFrom('STDOUT', 'STDERR'), text: fc.string({ unit: 'binary', maxLength: 20 }) }),
      fc.constant('timer'),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const clock = manualClock()
        const seen: [string, string][] = []
        const output = new OpenOutput(clock, (stream, text) => seen.push([stream, text]))
        const given: [string, string][] = []
        for (const one of steps) {
          if (typeof one === 'string') clock.fire()
          else {
            output.add(one.stream, one.text)
            for (const char of Array.from(one.text)) given.push([one.stream, char])
          }
        }
        output.end()
        expect(seen.flatMap(([stream, text]) => Array.from(text).map((char) => [stream, char]))).toEqual(given)
      }),
    )
  })

  test('is said with the first timer, whatever it is', () => {
    const clock = manualClock()
    const seen: string[] = []
    const output = new OpenOutput(clock, (_, text) => seen.push(text))
    output.add('STDOUT', 'open-')
    clock.fire()
    expect(seen).toEqual(['open-'])
  })

  test('text that is whole before the timer makes no piece for who discards', () => {
    const seen: string[] = []
    const output = new OpenOutput(manualClock(), (_, text) => seen.push(text))
    output.add('STDOUT', 'all at once')
    expect(output.discard()).toBe(false)
    expect(seen).toEqual([])
  })
})

test('long text is cut into bounded pieces, never inside a character', () => {
  fc.assert(
    fc.property(fc.nat({ max: 3 }), (offset) => {
      const text = 'x'.repeat(offset) + '😀'.repeat(40_000)
      const pieces = splitOutput(text)
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) {
        expect(piece.isWellFormed()).toBe(true)
        expect(piece.length).toBeLessThanOrEqual(32_768)
      }
    }),
  )
})
