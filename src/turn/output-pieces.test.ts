import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REDACTED } from '../core/redacted.ts'
import type { Clock } from '../platform/clock.ts'
import { Redactor } from '../secrets/redaction.ts'
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

const SECRET = 'open-sesame-42'
const redactor = (): Redactor => Redactor.of([SECRET])

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
        const emit = (stream: string, text: string): unknown => seen.push([stream, text])
        const pieces = new OutputPieces({ clock, redactor: () => Redactor.none, emit })
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

  test('no piece holds a secret, wherever it is cut, and the pieces say what the whole would', () => {
    const part = fc.constantFrom(SECRET, 'open-', 'sesame-', '42', 'x', '\n', Buffer.from(SECRET).toString('base64'))
    const chunks = fc.array(fc.tuple(fc.constantFrom('STDOUT' as const, 'STDERR' as const), part, fc.boolean()))
    fc.assert(
      fc.property(chunks, (given) => {
        const clock = manualClock()
        const seen = { STDOUT: '', STDERR: '' }
        const whole = { STDOUT: '', STDERR: '' }
        const pieces = new OutputPieces({ clock, redactor, emit: (stream, text) => (seen[stream] += text) })
        for (const [stream, text, fires] of given) {
          pieces.add(stream, text)
          whole[stream] += text
          if (fires) clock.fire()
        }
        pieces.end()
        expect(seen).toEqual({ STDOUT: redactor().redact(whole.STDOUT), STDERR: redactor().redact(whole.STDERR) })
      }),
    )
  })

  test('output that was cut off in the middle of a secret does not end in its half', () => {
    const seen: string[] = []
    const pieces = new OutputPieces({ clock: manualClock(), redactor, emit: (_, text) => seen.push(text) })
    pieces.add('STDOUT', `so: ${SECRET.slice(0, -1)}`)
    pieces.end({ cut: true })
    expect(seen.join('')).toBe(`so: ${REDACTED}`)
  })

  test('text that is whole before the timer makes no piece', () => {
    const seen: string[] = []
    const pieces = new OutputPieces({ clock: manualClock(), redactor, emit: (_, text) => seen.push(text) })
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
