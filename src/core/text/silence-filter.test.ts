/** What a model that stays silent says, in any form and however it is cut. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { SILENCE_MARKER, SilenceFilter, withoutSilence } from './silence-filter.ts'

const MARKER = /<\s*(?:NO_REPLY|EMPTY_RESPONSE)\s*>/i

/** The same, slowly: one marker after another is taken out until there is none. */
function removeAll(text: string): string {
  let left = text
  while (MARKER.test(left)) left = left.replace(MARKER, '')
  return left
}

/** Text made of markers, parts of them, and near misses. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('<NO_REPLY>', '<no_reply>', '< EMPTY_RESPONSE\n>', '<Empty_Response>', '<NO_REPLY >'),
      fc.constantFrom(
        '<',
        '>',
        '<<',
        '<NO',
        '_REPLY',
        'NO_REPLY',
        '<EMPTY',
        '_RESPONSE',
        '<NO_REPLY',
        '<NO REPLY>',
        '</NO_REPLY>',
      ),
      fc.constantFrom(' ', '\n', '\u00a0', 'a', 'Hello', '<b>', '1 < 2', '\u{1F600}', 'ſ', 'ı'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

/** A text, and the places at which it is cut. */
const pieces = text.chain((whole) =>
  fc.array(fc.nat(whole.length), { maxLength: 8 }).map((cuts) => {
    const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
    return { whole, parts: places.slice(1).map((end, index) => whole.slice(places[index], end)) }
  }),
)

describe('withoutSilence', () => {
  test.each([
    [SILENCE_MARKER, null],
    ['<EMPTY_RESPONSE>', null],
    [' \n<no_reply>\t<NO_REPLY >\n', null],
    ['', null],
    [' \n', null],
    ['Nothing to add. <NO_REPLY>', 'Nothing to add. '],
    ['<NO_REPLY>\nYes.', '\nYes.'],
    ['a<NO_<NO_REPLY>REPLY>b', 'ab'],
    ['<NO REPLY>, </NO_REPLY>, NO_REPLY, <NO_REPLY', '<NO REPLY>, </NO_REPLY>, NO_REPLY, <NO_REPLY'],
    ['wc -l <<< "$text"', 'wc -l <<< "$text"'],
  ])('of %j is %j', (said, expected) => {
    expect(withoutSilence(said)).toBe(expected)
  })

  test('takes out what can be taken out, and nothing else', () => {
    fc.assert(
      fc.property(text, (said) => {
        const left = removeAll(said)
        expect(withoutSilence(said)).toBe(left.trim() === '' ? null : left)
      }),
      { numRuns: rounds(600, 3000) },
    )
  })

  test('takes linear time on a long line of beginnings', () => {
    const long = '<NO_'.repeat(100_000)
    expect(withoutSilence(long)).toBe(long)
  })
})

describe('SilenceFilter', () => {
  test('says the same of a text in pieces, wherever it is cut', () => {
    fc.assert(
      fc.property(pieces, ({ whole, parts }) => {
        const filter = new SilenceFilter()
        const said = parts.map((part) => filter.push(part)).join('') + filter.end()
        expect(said === '' ? null : said).toBe(withoutSilence(whole))
      }),
      { numRuns: rounds(600, 3000) },
    )
  })

  test('holds back no more than what may be a marker', () => {
    fc.assert(
      fc.property(text, (whole) => {
        const filter = new SilenceFilter()
        const said = filter.push(`x${whole}`)
        const rest = filter.end()
        expect(rest === '' || rest.startsWith('<')).toBe(true)
        expect(said).not.toMatch(MARKER)
      }),
      { numRuns: rounds(200, 1000) },
    )
  })

  test('says a word at once, and a bracket as soon as it is none of a marker', () => {
    const filter = new SilenceFilter()
    expect(['  ', 'Hi', ' <', 'NO', '_', 'x', ' >'].map((piece) => filter.push(piece))).toEqual([
      '',
      '  Hi',
      ' ',
      '',
      '',
      '<NO_x',
      ' >',
    ])
    expect(filter.end()).toBe('')
  })
})
