import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentIssues, MAX_CONTENT_BYTES } from './message-content.ts'

/** Any UTF-16, broken or not. */
const UTF16 = fc
  .array(fc.oneof(fc.constantFrom(0, 0x20, 0xd800, 0xdbff, 0xdc00, 0xdfff), fc.nat(0xffff)), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

test('what is accepted is what can be seen, survives UTF-8 and has no NUL', () => {
  fc.assert(
    fc.property(UTF16, (content) => {
      const survives = Buffer.from(content).toString() === content
      expect(contentIssues(content).length === 0).toBe(
        survives && /[^\s\p{Z}\p{Cf}\u2800\u3164]/u.test(content) && !content.includes('\0'),
      )
    }),
  )
})

test('the limit counts bytes of UTF-8, not characters', () => {
  fc.assert(
    fc.property(fc.constantFrom('a', 'é', '€', '𝄞'), fc.integer({ min: -2, max: 2 }), (character, over) => {
      const width = Buffer.byteLength(character)
      const content =
        'x'.repeat(Math.max(0, (MAX_CONTENT_BYTES + over) % width)) +
        character.repeat(Math.floor((MAX_CONTENT_BYTES + over) / width))
      expect(Buffer.byteLength(content)).toBe(MAX_CONTENT_BYTES + over)
      expect(contentIssues(content)).toHaveLength(over > 0 ? 1 : 0)
    }),
  )
})

describe('an issue says where', () => {
  test.each([
    ['', 'empty'],
    [' \n\t', 'blank'],
    ['\u00a0\u200b\u2800', 'blank'],
    ['a\0b', 'position 1'],
    ['ab\udc00', 'position 2'],
    ['𝄞\ud800', 'position 2'],
    ['x'.repeat(MAX_CONTENT_BYTES + 7), `not ${MAX_CONTENT_BYTES + 7}`],
  ])('%#', (content, expected) => {
    expect(contentIssues(content)).toMatchObject([{ path: ['content'], message: expect.stringContaining(expected) }])
  })
})
