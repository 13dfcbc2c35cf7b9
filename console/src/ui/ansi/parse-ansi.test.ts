import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAnsi } from './parse-ansi.ts'

const textOf = (text: string): string =>
  parseAnsi(text)
    .map((piece) => piece.text)
    .join('')

test('colours and weights are kept', () => {
  const [plain, red, bold] = parseAnsi('a \u001B[31mred\u001B[0m\u001B[1;4mbold')
  expect(plain).toMatchObject({ text: 'a ', color: null })
  expect(red).toMatchObject({ text: 'red', color: 'red', isBold: false })
  expect(bold).toMatchObject({ text: 'bold', color: null, isBold: true, isUnderlined: true })
})

test('of 256 colours and of millions what is near is shown, and what follows is read right', () => {
  expect(parseAnsi('\u001B[38;5;196mx')[0]).toMatchObject({ text: 'x', color: 'red' })
  expect(parseAnsi('\u001B[38;2;1;2;3;1mx')[0]).toMatchObject({ text: 'x', color: null, isBold: true })
})

test.each([
  ['a window title', '\u001B]0;evil\u0007shown', 'shown'],
  ['a link', '\u001B]8;;http://example.org\u001B\\text\u001B]8;;\u001B\\', 'text'],
  ['moves and clears', '\u001B[2J\u001B[Hshown\u001B[5A', 'shown'],
  ['a bell and a backspace', 'a\u0007b\u0008c', 'abc'],
  ['a progress bar', '10 %\r50 %\r100 %\ndone', '100 %\ndone'],
  ['a progress bar that goes on', '10 %\r50 %\r', '50 %'],
  ['an escape that was cut off', 'a\u001B', 'a'],
])('%s', (_name, text, shown) => {
  expect(textOf(text)).toBe(shown)
})

test('any text is taken, and nothing of a terminal is left', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\u001B[', '\u001B]', 'm', '38;5;', '\r', '\n', '\u009B'),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
      // oxlint-disable-next-line no-control-regex -- these are what must not be left
      expect(textOf(parts.join(''))).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/u)
    }),
  )
})

test('a bomb of changing colours is bounded', () => {
  const bomb = Array.from({ length: 20_000 }, (_, index) => `\u001B[3${index % 8}mx`).join('')
  expect(parseAnsi(bomb).length).toBeLessThanOrEqual(3000)
})
