import { expect, test } from 'vitest'
import { excerptOf, MAX_EXCERPT_PARTS } from './excerpt.ts'

/** With the hits in brackets. */
function shown(text: string, ...words: string[]): string {
  return excerptOf(text, words)
    .map((part) => (part.isHit ? `[${part.text}]` : part.text))
    .join('')
}

test('a short text is shown whole, with every hit', () => {
  expect(shown('The invoice, and\n\nanother INVOICE.', 'invoice')).toBe('The [invoice], and another [INVOICE].')
})

test.each([
  ['Café', 'cafe', '[Café]'],
  ['Cafe\u0301s', 'CAFÉ', '[Cafe\u0301]s'],
  ['ein großes Büro', 'gross', 'ein [groß]es Büro'],
  ['Ｆｕｌｌ width', 'full', '[Ｆｕｌｌ] width'],
  ['請求書を送る', '求書', '請[求書]を送る'],
  ['한국어', '국', '한[국]어'],
])('%j has %j whatever the case, the width and the accents', (text, word, marked) => {
  expect(shown(text, word)).toBe(marked)
})

test('hits that overlap are one', () => {
  expect(shown('ananas', 'ana', 'nan')).toBe('[anana]s')
})

test('of a long text the surroundings of the first hit, cut between words', () => {
  const text = `${'before '.repeat(100)}the needle ${'behind '.repeat(100)}`
  const excerpt = shown(text, 'needle')
  expect(excerpt).toMatch(/^…before .*before the \[needle\] behind .*behind…$/)
  expect(excerpt.length).toBeLessThan(250)
})

test('what was redacted is no hit', () => {
  expect(shown('The key is [REDACTED]; it was redacted.', 'redacted')).toBe('The key is [REDACTED]; it was [redacted].')
})

test('characters are not cut, and parts stay few, whatever the text', () => {
  const faces = '😀'.repeat(500)
  for (const word of ['😀', 'x']) {
    const parts = excerptOf(`a${faces}`, [word])
    expect(parts.every(({ text }) => text.isWellFormed())).toBe(true)
    expect(parts.length).toBeLessThanOrEqual(MAX_EXCERPT_PARTS)
  }
  expect(excerptOf('', ['x'])).toEqual([])
})
