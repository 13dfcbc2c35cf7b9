import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../test/harness/rounds.ts'
import { secretForms } from '../../test/harness/secret-forms.ts'
import { REDACTED } from '../core/text/redacted.ts'
import { isRedactable, Redactor } from './redaction.ts'
import { StreamRedactor } from './stream-redactor.ts'

const SECRET = 'sesame-open-sesame'
const known = (): Redactor => Redactor.of([SECRET, 'a-second-secret'])

const secret = fc.stringMatching(/^[A-Za-z0-9_/+ä-]{8,40}$/).filter(isRedactable)
const form = fc.constantFrom(...secretForms.filter(({ fits }) => fits === undefined))

/** A text in pieces, cut at `cuts`. */
function piecesOf(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  return [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end))
}

/** What is said when after each piece all is said but the last `held` characters. */
function sayingLate(pieces: readonly string[], redactor: Redactor, held: number): string[] {
  const stream = new StreamRedactor(() => redactor)
  const said = pieces.map((piece) => {
    stream.push(piece)
    return stream.sayUntil(stream.length - held)
  })
  return [...said, stream.sayUntil(stream.length)]
}

describe('a StreamRedactor', () => {
  test('says what the whole text would, wherever it is cut, when it is said late enough', () => {
    fc.assert(
      fc.property(secret, form, fc.array(fc.nat(), { maxLength: 20 }), (value, { write }, cuts) => {
        const { text } = write(value, { before: 'some words\n', after: '\nand some more' })
        const redactor = Redactor.of([value])
        expect(sayingLate(piecesOf(text, cuts), redactor, text.length).join('')).toBe(redactor.redact(text))
      }),
      { numRuns: rounds(60, 300) },
    )
  })

  test('says no secret that is whole when its beginning would be said', () => {
    const part = fc.constantFrom(
      SECRET,
      'a-second-secret',
      'sesame-',
      'open-',
      'x',
      '\n',
      Buffer.from(SECRET).toString('base64'),
    )
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat(), { maxLength: 20 }), (parts, cuts) => {
        const text = parts.join('')
        expect(sayingLate(piecesOf(text, cuts), known(), 40).join('')).toBe(known().redact(text))
      }),
    )
  })

  test('holds nothing back by itself: what may begin a secret is said when the time has come', () => {
    const stream = new StreamRedactor(known)
    stream.push('so sesame-op')
    expect(stream.sayUntil(stream.length)).toBe('so sesame-op')
    stream.push('en-sesame!')
    // The rest of what has turned out to be one is not said.
    expect(stream.sayUntil(stream.length)).toBe(`${REDACTED}!`)
  })

  test('says the same of a right beginning as of a wrong one, whatever is said when', () => {
    const step = fc.record({ size: fc.integer({ min: 1, max: 8 }), held: fc.nat({ max: 12 }) })
    const right = fc.integer({ min: 0, max: SECRET.length - 1 })
    fc.assert(
      fc.property(right, fc.array(step, { minLength: 1, maxLength: 20 }), (length, steps) => {
        const saying = (guess: string): string[] => {
          const text = `it may be ${guess}\nor not`
          const stream = new StreamRedactor(known)
          const said: string[] = []
          let place = 0
          for (const { size, held } of steps) {
            stream.push(text.slice(place, (place += size)))
            said.push(stream.sayUntil(stream.length - held))
          }
          stream.push(text.slice(place))
          return [...said, stream.sayUntil(stream.length)]
        }
        const guess = SECRET.slice(0, length).padEnd(SECRET.length, '?')
        expect(saying(guess)).toEqual(saying('#'.repeat(SECRET.length)).map(withGuess(guess)))
      }),
    )
  })

  test('hides a secret that becomes known while its first half is not said', () => {
    const now = { redactor: Redactor.of([SECRET]) }
    const stream = new StreamRedactor(() => now.redactor)
    stream.push('the open-')
    expect(stream.sayUntil(4)).toBe('the ')
    now.redactor = Redactor.of([SECRET, 'open-closed'])
    stream.push('closed door')
    expect(stream.sayUntil(stream.length)).toBe(`${REDACTED} door`)
  })

  test('never parts the halves of a character', () => {
    const stream = new StreamRedactor(known)
    stream.push('a😀b')
    expect(stream.sayUntil(2)).toBe('a')
    expect(stream.sayUntil(3)).toBe('😀')
  })

  test('keeps little of a long text', () => {
    const redactor = known()
    const stream = new StreamRedactor(() => redactor)
    let said = 0
    for (let count = 0; count < 200; count++) {
      stream.push('0123456789\n'.repeat(1000))
      said += stream.sayUntil(stream.length).length
    }
    expect(said).toBe(200 * 11_000)
  })
})

/** The n-th "#" that is said stands for the n-th character of the guess. */
function withGuess(guess: string): (said: string) => string {
  let count = 0
  return (said) => said.replaceAll('#', () => guess.charAt(count++))
}
