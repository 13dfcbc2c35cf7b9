import { expect, test } from 'vitest'
import { harmless, harmlessCode } from './harmless.ts'

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
  ['letters that are not seen', '🏳\u{E0061} a\u{E0062}', '🏳\uFFFD a\uFFFD'],
  ['what joins no letters', 'r\u200Dm\u200C -rf \u200Da', 'r\uFFFDm\uFFFD -rf \uFFFDa'],
  ['isolates', '\u2066\u2067\u2068\u2069', '\uFFFD'.repeat(4)],
])('%s is shown, not obeyed', (_what, text, shown) => {
  expect(harmless(text)).toBe(shown)
})

test.each([
  ['the flag of Scotland', '🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
  ['an emoji of several', 'echo "👩🏽\u200D💻 ✔\uFE0F 1\uFE0F\u20E3"'],
  ['Persian and Hindi', 'echo "می\u200Cخواهم क्\u200Dष"'],
  ['a wide space among wide letters', 'echo "東京　大阪"'],
])('in what runs, %s stays as it is', (_what, text) => {
  expect(harmlessCode(text)).toBe(text)
})

test.each([
  ['a soft hyphen', 'rm back\u00ADup', 'rm back\uFFFDup'],
  ['marks of direction', 'cp \u200Fa\u200E \u061Cb', 'cp \uFFFDa\uFFFD \uFFFDb'],
  ['letters without a shape', 'rm\u3164 \u115F\u1160 \u2800', 'rm\uFFFD \uFFFD\uFFFD \uFFFD'],
  ['spaces that part no words', 'rm\u00A0a\u2003b\u3000c', 'rm\uFFFDa\uFFFDb\uFFFDc'],
  ['another form of a sign', 'rm\uFE0E a\uFE0F', 'rm\uFFFD a\uFFFD'],
  ['a line of another kind', 'a\u2028b\u2029c', 'a\uFFFDb\uFFFDc'],
])('in what runs, %s is shown', (_what, text, shown) => {
  expect(harmlessCode(text)).toBe(shown)
})
