import { expect, test } from 'vitest'
import { harmless } from './harmless.ts'

test.each([
  ['an emoji of several', '👩\u200D💻'],
  ['Persian', 'می\u200Cخواهم'],
  ['a place to break', 'Donau\u00ADdampfschiff'],
  ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
  ['marks of direction', 'שלום\u200F! a\u200E'],
  ['tabs and ends of lines', '\ta\nb\r\nc\r\n'],
])('%s stays as it is', (_what, text) => {
  expect(harmless(text)).toBe(text)
})

test.each([
  ['an escape sequence', '\u001B[31mred', '\uFFFD[31mred'],
  ['an escape sequence in one character', '\u009B31mred', '\uFFFD31mred'],
  ['NUL, backspace and DEL', 'a\0b\bc\u007F', 'a\uFFFDb\uFFFDc\uFFFD'],
  ['what overwrites a line', 'rm -rf /\recho', 'rm -rf /\uFFFDecho'],
  ['the first of two carriage returns', 'a\r\r\n', 'a\uFFFD\r\n'],
  ['a carriage return at the end', 'a\r', 'a\uFFFD'],
  ['overrides of direction', '\u202A\u202B\u202C\u202D\u202E', '\uFFFD'.repeat(5)],
  ['what is not seen', 'rm\u200B \u2060a\uFEFF', 'rm\uFFFD \uFFFDa\uFFFD'],
  ['isolates', '\u2066\u2067\u2068\u2069', '\uFFFD'.repeat(4)],
])('%s is shown, not obeyed', (_what, text, shown) => {
  expect(harmless(text)).toBe(shown)
})
