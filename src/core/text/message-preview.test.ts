import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messagePreview } from './message-preview.ts'

const length = (text: string): number => Array.from(text).length

test.each([
  ['hello', 'hello'],
  ['  two\n\n words\t', 'two words'],
  ['', ''],
  [' \n\r\u2028 ', ''],
  ['bell\u0007 and\u0000nul', 'bell and nul'],
  ['x'.repeat(120), 'x'.repeat(120)],
  [`${'x'.repeat(120)}\n\n`, 'x'.repeat(120)],
  ['x'.repeat(121), `${'x'.repeat(120)}…`],
  [`${'x'.repeat(119)} y`, `${'x'.repeat(119)}…`],
  ['𝄞'.repeat(121), `${'𝄞'.repeat(120)}…`],
])('%j', (content, expected) => {
  expect(messagePreview(content)).toBe(expected)
})

const TEXT = fc.string({
  unit: fc.oneof(fc.constantFrom(' ', '\n', '\t', '\u0085', '…'), fc.string({ unit: 'grapheme', maxLength: 1 })),
  maxLength: 300,
})

test('it is one line of at most 120 characters, and then perhaps "…"', () => {
  fc.assert(
    fc.property(TEXT, (content) => {
      const preview = messagePreview(content)
      expect(preview).not.toMatch(/[\p{Cc}\u2028\u2029]|\s\s|^\s|\s$/u)
      expect(length(preview)).toBeLessThanOrEqual(121)
      expect(preview.isWellFormed()).toBe(true)
    }),
  )
})

test('it is the beginning of the content, and the whole of it unless it says that there is more', () => {
  fc.assert(
    fc.property(TEXT, (content) => {
      const line = content.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
      const preview = messagePreview(content)
      // Cut off only when one character more, or a space and one, was too many.
      const isBeginning = preview.endsWith('…') && line.startsWith(preview.slice(0, -1)) && length(preview) >= 120
      expect(preview === line || isBeginning).toBe(true)
    }),
  )
})
