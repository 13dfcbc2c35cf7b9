import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REDACTED } from '../core/redacted.ts'
import { encodingsOf } from './encodings.ts'
import { isRedactable, Redactor, StreamRedactor } from './redaction.ts'

const SECRET = 'pä$$w0rd/with "quotes" & spaces+more'

/** What programs would print of a secret. */
const forms: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'base64 at offset 0': (secret) => base64(secret, ''),
  'base64 at offset 1': (secret) => base64(secret, 'x'),
  'base64 at offset 2': (secret) => base64(secret, 'xy'),
  'base64 in short lines': (secret) => base64(secret, 'y').replace(/.{7}/g, '$&\r\n  '),
  base64url: (secret) => Buffer.from(`é${secret}é`).toString('base64url'),
  'URL component': (secret) => encodeURIComponent(secret),
  'URL component in lower case': (secret) => encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  'URL form': (secret) => new URLSearchParams({ key: secret }).toString(),
  'URL with every byte encoded': (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  JSON: (secret) => JSON.stringify({ secret }),
  'JSON in JSON': (secret) => JSON.stringify(JSON.stringify({ secret })),
  'JSON in ASCII': (secret) =>
    JSON.stringify(secret).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'JSON with escaped slashes': (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'hex in groups': (secret) => Buffer.from(secret).toString('hex').replace(/..../g, '$& '),
  'hex with colons': (secret) =>
    Buffer.from(secret)
      .toString('hex')
      .replace(/..(?=.)/g, '$&:'),
}

function base64(secret: string, before: string): string {
  return Buffer.from(`${before}${secret} and more`).toString('base64')
}

const secrets = fc
  .string({ unit: 'binary', minLength: 8, maxLength: 40 })
  .map((text) => text.toWellFormed())
  .filter(isRedactable)
const formName = fc.constantFrom(...Object.keys(forms))
/** Pieces of text, in which some are secrets in some form. */
const story = fc.record({
  known: fc.array(secrets, { minLength: 1, maxLength: 5 }),
  parts: fc.array(fc.oneof(fc.string(), fc.tuple(fc.nat(), formName)), { maxLength: 12 }),
})

function tell({ known, parts }: { known: string[]; parts: (string | [number, string])[] }): string {
  const secretAt = (number: number): string => known[number % known.length] ?? ''
  return parts.map((part) => (typeof part === 'string' ? part : forms[part[1]]?.(secretAt(part[0])))).join('')
}

/** The forms of known secrets that stand in a text; base64 and hex also across white space and colons. */
function leaksIn(text: string, known: readonly string[]): string[] {
  const squeezed = text.replace(/[\s:]/g, '')
  return known
    .map(encodingsOf)
    .flatMap(({ literal, wrapped }) => [
      ...literal.filter((form) => text.includes(form)),
      ...wrapped.filter((form) => squeezed.includes(form)),
    ])
}

function inPieces(text: string, redactor: Redactor, cuts: readonly number[]): string {
  const stream = new StreamRedactor(() => redactor)
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b)
  const pieces = [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end))
  return [...pieces.map((piece) => stream.push(piece)), stream.end()].join('')
}

describe('a Redactor', () => {
  test.each(Object.entries(forms))('hides a secret in %s', (_, write) => {
    const redacted = Redactor.of([SECRET]).redact(`before ${write(SECRET)} after`)
    expect(redacted).toContain(REDACTED)
    expect(redacted).toMatch(/^before .* after$/s)
    expect(leaksIn(redacted, [SECRET])).toEqual([])
  })

  test('hides all that it knows, in every form, wherever it stands', () => {
    fc.assert(
      fc.property(story, (told) => {
        expect(leaksIn(Redactor.of(told.known).redact(tell(told)), told.known)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test('says the same of a text in pieces as of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(story, fc.array(fc.nat(), { maxLength: 30 }), (told, cuts) => {
        const redactor = Redactor.of(told.known)
        expect(inPieces(tell(told), redactor, cuts)).toBe(redactor.redact(tell(told)))
      }),
      { numRuns: 1000 },
    )
  })

  test('says the same of a text that comes one character at a time', () => {
    fc.assert(
      fc.property(story, (told) => {
        const text = tell(told)
        const redactor = Redactor.of(told.known)
        expect(
          inPieces(
            text,
            redactor,
            Array.from({ length: text.length }, (_, place) => place),
          ),
        ).toBe(redactor.redact(text))
      }),
      { numRuns: 200 },
    )
  })

  test('leaves a text without secrets as it is, and is the same string', () => {
    fc.assert(
      fc.property(fc.array(secrets, { maxLength: 5 }), fc.string({ maxLength: 200 }), (known, text) => {
        fc.pre(leaksIn(text, known).length === 0)
        expect(Redactor.of(known).redact(text)).toBe(text)
      }),
      { numRuns: 500 },
    )
  })

  test('finds secrets that overlap, touch, or hold one another', () => {
    const redactor = Redactor.of(['abcdefgh', 'efghijkl', 'xxabcdefghxx'])
    expect(redactor.redact('-abcdefghijkl-')).toBe(`-${REDACTED}-`)
    expect(redactor.redact('-xxabcdefghxx-')).toBe(`-${REDACTED}-`)
    expect(redactor.redact('-xxabcdefghx-')).toBe(`-xx${REDACTED}x-`)
    expect(redactor.redact('abcdefghabcdefgh')).toBe(REDACTED)
    expect(redactor.redact('abcdefgh abcdefgh')).toBe(`${REDACTED} ${REDACTED}`)
  })

  test('knows what two know together', () => {
    const both = Redactor.of(['first-secret'])
      .with(Redactor.of(['second-secret']))
      .with(Redactor.none)
    expect(both.redact('first-secret, second-secret')).toBe(`${REDACTED}, ${REDACTED}`)
  })

  test('takes no value that is too short or is the mark itself', () => {
    expect(['1234567', '  12345  ', REDACTED, 'REDACTED'].map(isRedactable)).toEqual([false, false, false, false])
    expect(Redactor.of(['1234567', 'REDACTED']).isEmpty).toBe(true)
  })

  test('hides each line of a key, and the key with other line ends', () => {
    const line = (char: string): string => char.repeat(40)
    const key = `-----BEGIN KEY-----\n${line('A')}\n${line('B')}\n-----END KEY-----\n`
    const redactor = Redactor.of([key])
    expect(redactor.redact(`grep: ${line('B')}.`)).toBe(`grep: ${REDACTED}.`)
    expect(redactor.redact(`cat: ${key}.`)).toBe(`cat: ${REDACTED}.`)
    expect(redactor.redact(key.replaceAll('\n', '\r\n'))).not.toContain(line('A'))
    expect(redactor.redact('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----')
  })

  test('hides the beginning of a secret at the end of a text that was cut', () => {
    const redactor = Redactor.of(['sesame-open-sesame'])
    expect(redactor.redact('say sesame-op', { cut: true })).toBe(`say ${REDACTED}`)
    expect(redactor.redact('say sesame-op')).toBe('say sesame-op')
    expect(redactor.redact('say ses', { cut: true })).toBe('say ses')
  })

  test('takes time in proportion to the text, whatever it is made of', () => {
    const redactor = Redactor.of(['a'.repeat(100), 'ab'.repeat(50)])
    expect(redactor.redact('a'.repeat(300_000))).toBe(REDACTED)
    expect(inPieces('a'.repeat(300_000), redactor, [])).toBe(REDACTED)
  })
})

describe('a StreamRedactor', () => {
  test('holds back no more than may become a secret', () => {
    const stream = new StreamRedactor(() => Redactor.of(['sesame-open']))
    expect(stream.push('hello ses')).toBe('hello ')
    expect(stream.push('t seeds')).toBe('sest seed')
    expect(stream.push('esame-open!')).toBe(`${REDACTED}!`)
    expect(stream.end()).toBe('')
  })

  test('never holds back much, even when white space goes on for ever', () => {
    const stream = new StreamRedactor(() => Redactor.of([SECRET]))
    const start = Buffer.from(SECRET).toString('hex').slice(0, 20)
    let said = stream.push(start).length
    for (let index = 0; index < 100; index++) said += stream.push(' ').length
    expect(said).toBe(start.length + 100)
  })

  test('hides a secret that becomes known while its first half is held back', () => {
    const known = { now: Redactor.of(['sesame-open']) }
    const stream = new StreamRedactor(() => known.now)
    const said = [stream.push('the sesame-')]
    known.now = Redactor.of(['sesame-open', 'sesame-closed'])
    said.push(stream.push('closed sesame-open'), stream.end())
    expect(said.join('')).toBe(`the ${REDACTED} ${REDACTED}`)
  })

  test('ends with what was held back, or without it when the text was cut', () => {
    const redactor = Redactor.of(['sesame-open'])
    const pieces = (cut: boolean): string => {
      const stream = new StreamRedactor(() => redactor)
      return stream.push('so sesame-') + stream.end({ cut })
    }
    expect(pieces(false)).toBe('so sesame-')
    expect(pieces(true)).toBe(`so ${REDACTED}`)
  })
})
