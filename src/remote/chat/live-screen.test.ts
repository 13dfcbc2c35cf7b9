import fc from 'fast-check'
import { expect, test } from 'vitest'
import { displayedWidth } from '../../../test/remote/displayed-width.ts'
import { wrapLine } from './live-screen.ts'

const RED = '\u001B[31m'
const PLAIN = '\u001B[39m'

test.each([
  ['', 10, ['']],
  ['one two three', 8, ['one two ', 'three']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['日本語', 4, ['日本', '語']],
  ['✅✅✅', 4, ['✅✅', '✅']],
  ['abcde\u0301f', 5, ['abcde\u0301', 'f']],
  ['a\tb', 20, ['a       b']],
  [`${RED}abcd${PLAIN}`, 4, [`${RED}abcd${PLAIN}`]],
  [`${RED}abcdef${PLAIN}`, 5, [`${RED}abcde`, `f${PLAIN}`]],
])('%j in %i columns', (line, width, rows) => {
  expect(wrapLine(line, width)).toEqual(rows)
})

/** What models and commands write: words, long ones without a space, wide characters, colours. */
const piece = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.stringMatching(/^[a-z0-9/+=]{30,120}$/),
  fc.array(fc.constantFrom('日', '本', '語', '✅', '❤\uFE0F', '🙂', 'e\u0301', '🇩🇪', ' ')).map((all) => all.join('')),
  fc.constantFrom(RED, PLAIN, ' '),
)

test('no row is too wide, no character is lost, and no colour is broken', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 4, max: 80 }), (pieces, width) => {
      const line = pieces.join('').replaceAll('\n', ' ')
      const rows = wrapLine(line, width)
      expect(rows.join('')).toBe(line)
      for (const row of rows) {
        expect(displayedWidth(row.trimEnd()) - 2 * flagsIn(row)).toBeLessThanOrEqual(width)
        expect(row.replaceAll(RED, '').replaceAll(PLAIN, '')).not.toContain('\u001B')
      }
    }),
  )
})

test('a tab takes as many columns as a terminal gives it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', '日', '\t', 'bc'), { maxLength: 30 }), (pieces) => {
      const line = pieces.join('')
      expect(wrapLine(line, 1000).map(displayedWidth)).toEqual([displayedWidth(line)])
    }),
  )
})

/** A terminal shows one in two columns, the judge counts four. */
function flagsIn(row: string): number {
  return row.split('🇩🇪').length - 1
}
