import { expect, test } from 'vitest'
import { packTexts, unpackTexts } from './packed-texts.ts'

const PACKED = '0123c9e5068646c670d743dda6a4a3e491a9a7140b00'
const texts = {
  prompt: 'The markers of this prompt carry the token 0123.\n\nNow: Friday',
  answer: 'Hi.',
}

test('what was packed by an earlier build is unpacked: version 1 keeps its dictionary', () => {
  expect(unpackTexts(Buffer.from(PACKED, 'hex'))).toEqual(texts)
})

test('any text comes back as it was', () => {
  for (const prompt of ['', 'ä ☂ "\\" \u0001', 'x'.repeat(100_000)]) {
    for (const answer of [null, '', prompt])
      expect(unpackTexts(packTexts({ prompt, answer }))).toEqual({ prompt, answer })
  }
})

test('what a later build packed is refused', () => {
  expect(() => unpackTexts(Buffer.of(2, 0))).toThrow('packed as version 2')
})
