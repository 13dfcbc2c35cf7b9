import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { manualClock } from '../../../test/harness/manual-clock.ts'
import { secretForms } from '../../../test/harness/secret-forms.ts'
import { REDACTED } from '../../core/text/redacted.ts'
import type { OutputStream } from '../../core/session-event.ts'
import { Redactor } from '../../secrets/redaction.ts'
import { HeldOutput } from './held-output.ts'
import type { OutputEnd } from './live-output.ts'

const SECRET = 'open-sesame-42'
const DEFAULT = Redactor.of([SECRET])

type EmittedPiece = readonly [stream: OutputStream, text: string]
type Step = { readonly stream: OutputStream; readonly text: string } | 'tick'
type Unit = 'LINES' | 'WORDS'

interface Options extends OutputEnd {
  readonly unit?: Unit
  readonly redactor?: Redactor
}

/** The events that these steps make, with the step after which each came. */
function play(
  steps: readonly (Step | { readonly finished: OutputStream })[],
  { unit = 'LINES', redactor = DEFAULT, ...end }: Options = {},
) {
  const clock = manualClock()
  const said: (readonly [step: number, ...said: EmittedPiece])[] = []
  let now = 0
  const output = new HeldOutput({ clock, redactor: () => redactor, unit, emit: (...each) => said.push([now, ...each]) })
  for (const step of steps) {
    if (step === 'tick') clock.fire()
    else if ('finished' in step) output.finishUnit(step.finished)
    else output.add(step.stream, step.text)
    now += 1
  }
  output.end(end)
  expect(clock.timers).toBe(0)
  return said
}

const out = (text: string): Step => ({ stream: 'STDOUT', text })
const err = (text: string): Step => ({ stream: 'STDERR', text })
const textOf = (said: readonly (readonly [number, ...EmittedPiece])[], stream: OutputStream): string =>
  said.flatMap(([, from, text]) => (from === stream ? [text] : [])).join('')

const stream = fc.constantFrom<OutputStream>('STDOUT', 'STDERR')
const tick = fc.constant<Step>('tick')

describe('output that may hold secrets', () => {
  test('is said line by line, at the second tick after the end of a line, and the rest at the end', () => {
    const steps = [out('one\ntw'), 'tick', out('o\n'), 'tick', 'tick', out('thr'), 'tick', 'tick', 'tick'] as const
    expect(play(steps)).toEqual([
      [3, 'STDOUT', 'one\n'],
      [4, 'STDOUT', 'two\n'],
      [9, 'STDOUT', 'thr'],
    ])
  })

  test('of a model is said word by word, in scripts without spaces character by character', () => {
    const steps = [out('Hello wor'), 'tick', 'tick', out('ld, 日本'), 'tick', 'tick', out('語')] as const
    expect(play(steps, { unit: 'WORDS' })).toEqual([
      [2, 'STDOUT', 'Hello '],
      [5, 'STDOUT', 'world, 日本'],
      [7, 'STDOUT', '語'],
    ])
  })

  test('which nothing follows is said in its time, without an end of its own', () => {
    const steps = [out('Let me see.'), 'tick', 'tick', { finished: 'STDOUT' }, 'tick', 'tick', 'tick'] as const
    expect(play(steps, { unit: 'WORDS' })).toEqual([
      [2, 'STDOUT', 'Let me '],
      [5, 'STDOUT', 'see.'],
    ])
  })

  test('keeps the order of the streams, in which lines came to their ends', () => {
    const steps = [out('a'), err('1\n'), out('b\nc\n'), err('2\n'), 'tick', 'tick'] as const
    expect(play(steps).map(([, ...said]) => said)).toEqual([
      ['STDERR', '1\n'],
      ['STDOUT', 'ab\nc\n'],
      ['STDERR', '2\n'],
    ])
  })

  test('loses, doubles and reorders nothing of a stream, wherever the ticks fall', () => {
    const text = fc.string({ unit: 'binary', maxLength: 12 })
    const step = fc.oneof(fc.record({ stream, text }), fc.record({ stream, text: fc.constant('line\n') }), tick)
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom<Unit>('LINES', 'WORDS'), (steps, unit) => {
        const said = play(steps, { unit, redactor: Redactor.none })
        for (const each of ['STDOUT', 'STDERR'] as const) {
          const given = steps.flatMap((one) => (one !== 'tick' && one.stream === each ? [one.text] : [])).join('')
          expect(textOf(said, each)).toBe(given)
        }
      }),
    )
  })

  test('holds no secret, however its line is cut, and however long the pauses are', () => {
    const part = fc.constantFrom(SECRET, 'open-', 'sesame-', '42', 'x', '\n', Buffer.from(SECRET).toString('base64'))
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.record({ stream, text: part }), tick)), (steps) => {
        const said = play(steps)
        for (const each of ['STDOUT', 'STDERR'] as const) {
          const whole = steps.flatMap((one) => (one !== 'tick' && one.stream === each ? [one.text] : [])).join('')
          const byLine = whole.split('\n').map((line) => DEFAULT.redact(line))
          // Lines alone: whether a secret over two lines is found depends on the time between them.
          fc.pre(DEFAULT.redact(whole) === byLine.join('\n'))
          expect(textOf(said, each).split('\n')).toEqual(byLine)
        }
      }),
    )
  })

  test('holds no secret in any form that came within the time in which lines are held', () => {
    fc.assert(
      fc.property(fc.constantFrom(...secretForms), fc.array(fc.nat()), ({ write }, cuts) => {
        const { text, traces } = write(SECRET, { before: 'before\n', after: '\nafter\n' })
        const places = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
        const pieces = [...places, text.length].map((end, index) => out(text.slice(places[index - 1] ?? 0, end)))
        const said = textOf(play([out('x\n'), 'tick', ...pieces, 'tick', 'tick', 'tick']), 'STDOUT')
        expect(said).toContain(REDACTED)
        expect(traces.filter((trace) => said.includes(trace))).toEqual([])
      }),
      { numRuns: rounds(100, 500) },
    )
  })

  test('does not end in the half of a secret when it broke off, and leaves out what else was unfinished', () => {
    expect(play([out('so\nopen-ses')], { brokeOff: true })).toEqual([[1, 'STDOUT', 'so\n']])
    expect(play([out('so\nor not')], { brokeOff: true })).toEqual([[1, 'STDOUT', 'so\n']])
  })

  test('ends in no half of a secret where it was cut off at the limit, and else where it was cut off', () => {
    const rest = (stdout: string) => ({ beyond: { stdout, stderr: '' } })
    expect(play([out('so\nopen-ses')], rest('ame-42\n'))).toEqual([[1, 'STDOUT', `so\n${REDACTED}`]])
    expect(play([out('so\nopen-ses')], rest('ame-43\n'))).toEqual([[1, 'STDOUT', 'so\nopen-ses']])
  })

  test('of a line without end, says all but as much as a secret may be long', () => {
    const said = play([out('x'.repeat(40_000)), 'tick', 'tick'], { brokeOff: true })
    expect(textOf(said, 'STDOUT')).toBe('x'.repeat(40_000 - 16_384))
  })
})

/**
 * A program that prints guesses must not see which is right. So for any schedule of pieces and timer runs, a guess with
 * 1 to n right characters makes the same events as one with none: the same number, at the same steps, of the same
 * streams, with the same boundaries.
 */
describe('what is said of a guess', () => {
  const cutsAndTicks = fc.array(
    fc.record({ size: fc.integer({ min: 1, max: 12 }), ticks: fc.nat({ max: 3 }), beside: fc.boolean() }),
    { minLength: 1, maxLength: 25 },
  )

  test.each(['LINES', 'WORDS'] as const)('is the same for right and wrong beginnings, in %s', (unit) => {
    const guessing = fc.record({
      right: fc.integer({ min: 1, max: SECRET.length - 1 }),
      form: fc.constantFrom(...secretForms),
      schedule: cutsAndTicks,
      brokeOff: fc.boolean(),
    })
    fc.assert(
      fc.property(guessing, ({ right, form, schedule, brokeOff }) => {
        const shape = (guess: string): unknown => {
          const { text } = form.write(guess, { before: 'is it ', after: '?\nno\n' })
          let place = 0
          const steps = schedule.flatMap(({ size, ticks, beside }): Step[] => [
            out(text.slice(place, (place += size))),
            ...(beside ? [err('beside\n')] : []),
            ...Array.from({ length: ticks }, (): Step => 'tick'),
          ])
          const said = play([...steps, out(text.slice(place))], { unit, brokeOff })
          expect(said.some(([, , each]) => each.includes(REDACTED))).toBe(false)
          return said.map(([step, from, each]) => [step, from, each.length])
        }
        // As wrong as can be, and of the same length in every form.
        const wrong = 'nqfm-qfqbnf-13'
        expect(shape(SECRET.slice(0, right) + wrong.slice(right))).toEqual(shape(wrong))
        expect(shape(SECRET.slice(0, right))).toEqual(shape(wrong.slice(0, right)))
      }),
      { numRuns: rounds(300, 1500) },
    )
  })

  test('is another for a whole secret alone, which is seen to be hidden', () => {
    expect(play([out(`${SECRET}\n`), 'tick', 'tick'])).toEqual([[2, 'STDOUT', `${REDACTED}\n`]])
    expect(play([out(`${SECRET.slice(0, -1)}\n`), 'tick', 'tick'])).toEqual([[2, 'STDOUT', `${SECRET.slice(0, -1)}\n`]])
  })
})
