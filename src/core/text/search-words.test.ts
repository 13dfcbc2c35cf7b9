import { expect, test } from 'vitest'
import { readSearchWords } from './search-words.ts'

test.each([
  ['fixed the invoice', [{ words: ['fixed', 'the', 'invoice'], without: [] }]],
  ['"the invoice" -draft -"not yet"', [{ words: ['the invoice'], without: ['draft', 'not yet'] }]],
  [
    'invoice or bill paid',
    [
      { words: ['invoice'], without: [] },
      { words: ['bill', 'paid'], without: [] },
    ],
  ],
  ['OR "or" or', [{ words: ['or'], without: [] }]],
  ['"not closed', [{ words: ['not closed'], without: [] }]],
  ['e-mail - 発票', [{ words: ['e-mail', '-', '発票'], without: [] }]],
  ['-only', []],
  [' "" or  ', []],
])('%j', (search, wanted) => {
  expect(readSearchWords(search)).toEqual(wanted)
})
