import { expect, test } from 'vitest'
import { asSentence } from './as-sentence.ts'

test.each([
  ['The disk is full.', 'The disk is full.'],
  ['the disk is full', 'The disk is full.'],
  [' Is it there? ', 'Is it there?'],
  ['It said "no."', 'It said "no."'],
  ['été', 'Été.'],
  ['ディスクが一杯です。', 'ディスクが一杯です。'],
  ['डिस्क भर गई है।', 'डिस्क भर गई है।'],
  ['هل هو هناك؟', 'هل هو هناك؟'],
  ['  ', ''],
])('"%s" is told as "%s"', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence)
})
