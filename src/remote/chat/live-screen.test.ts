import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textWidth } from '../text/text-width.ts'
import { wrapLine } from './live-screen.ts'

test.each([
  ['', 10, ['']],
  ['one two three', 8, ['one two ', 'three']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['日本語', 4, ['日本', '語']],
])('%j in %i columns', (line, width, rows) => {
  expect(wrapLine(line, width)).toEqual(rows)
})

test('no row is too wide, and no character is lost', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', maxLength: 200 }),
      fc.integer({ min: 2, max: 40 }),
      (text, width) => {
        const line = text.replaceAll('\n', ' ')
        const rows = wrapLine(line, width)
        expect(rows.join('')).toBe(line)
        expect(Math.max(...rows.map((row) => textWidth(row.trimEnd())))).toBeLessThanOrEqual(width)
      },
    ),
  )
})
