import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CODE_ALPHABET,
  CODE_LENGTH,
  hideLinkCodes,
  isLinkCode,
  LINK_MESSAGE,
  linkCommandOf,
  readLinkCode,
  showLinkCode,
} from './link-command.ts'

const codes = fc
  .array(fc.constantFrom(...CODE_ALPHABET.split('')), { minLength: CODE_LENGTH, maxLength: CODE_LENGTH })
  .map((characters) => characters.join(''))
  .filter(isLinkCode)

describe('a code', () => {
  test('is read as it was made, however it is typed', () => {
    fc.assert(
      fc.property(codes, fc.constantFrom(' ', '-', ''), (code, between) => {
        const typed = `${code.slice(0, 3)}${between}${code.slice(3)}`
        expect([readLinkCode(typed), readLinkCode(typed.toLowerCase()), readLinkCode(showLinkCode(code))]).toEqual([
          code,
          code,
          code,
        ])
      }),
    )
  })

  test.each([
    ['OIL00-00000', '0110000000'],
    ['oil00 00000', '0110000000'],
    ['7K2M9-4X8P', null],
    ['7K2M9-4X8P33', null],
    ['7K2M9-4X8PU', null],
    ['', null],
    ['-'.repeat(1000), null],
  ])('%s is %s', (text, code) => {
    expect(readLinkCode(text)).toBe(code)
  })
})

describe('a message that links', () => {
  test.each([
    ['/link 7K2M9-4X8P3', '7K2M9-4X8P3', false],
    [' /LINK 7k2m94x8p3 \n', '7k2m94x8p3', false],
    ['／ｌｉｎｋ　７Ｋ２Ｍ９－４Ｘ８Ｐ３', '7K2M9-4X8P3', false],
    ['\u200F/link 7K2M9-4X8P3\u200E', '7K2M9-4X8P3', false],
    ['/link@factotum_bot 7K2M9 4X8P3', '7K2M9 4X8P3', false],
    ['<@!123456> /link 7K2M9-4X8P3 merge', '7K2M9-4X8P3', true],
    ['@factotum /link 7K2M9-4X8P3', '7K2M9-4X8P3', false],
    // Mistyped, and yet most of a code.
    ['/link 7K2M9-4X8P', '7K2M9-4X8P', false],
    ['/link 7K2M9-4X8P33', '7K2M9-4X8P33', false],
  ])('%s', (content, code, merge) => {
    expect(linkCommandOf(content)).toEqual({ code, merge })
    expect(hideLinkCodes(content)).toBe(LINK_MESSAGE)
  })

  test.each([
    '/link',
    '/links 7K2M9-4X8P3',
    'link 7K2M9-4X8P3',
    'see /link for more',
    '/link to the page',
    '/link some pages',
    '/link something',
    '7K2M9-4X8P3',
    '/link https://example.org/7K2M9-4X8P3',
  ])('is not: %s', (content) => {
    expect([linkCommandOf(content), hideLinkCodes(content)]).toEqual([null, content])
  })

  test('a wide code within a text goes, other wide signs stay', () => {
    expect(hideLinkCodes('はい、 ／ｌｉｎｋ　７Ｋ２Ｍ９－４Ｘ８Ｐ３')).toBe('はい、 /link [REDACTED]')
    expect(hideLinkCodes('Ｐ３ ／ｌｉｎｋ ok /link 7K2M9-4X8P3')).toBe('Ｐ３ ／ｌｉｎｋ ok /link [REDACTED]')
  })

  test('no code is left in a text, and nothing else goes', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((part) => !/link|[0-9a-z-]$/i.test(part))
    fc.assert(
      fc.property(text, codes, text, (before, code, after) => {
        const hidden = hideLinkCodes(`${before} /link ${showLinkCode(code)}\n${after}`)
        expect(hidden).not.toContain(code.slice(0, 5) + '-' + code.slice(5))
        expect([LINK_MESSAGE, `${before} ${LINK_MESSAGE}\n${after}`]).toContain(hidden)
        expect(hideLinkCodes(hidden)).toBe(hidden)
      }),
    )
  })
})
