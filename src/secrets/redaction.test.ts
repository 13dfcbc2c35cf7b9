import { spawnSync } from 'node:child_process'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../test/harness/rounds.ts'
import { secretForms, type Around, type SecretForm } from '../../test/harness/secret-forms.ts'
import { REDACTED } from '../core/text/redacted.ts'
import { foldCase } from './encodings/fold-case.ts'
import { isRedactable, Redactor } from './redaction.ts'

const SECRETS = [
  'open-sesame-42',
  'pä$$w0rd/with "quotes" & spaces+more',
  'Straße nach Köln, 日本語',
  `long-${'0123456789abcdef'.repeat(5)}`,
]

const anySecret = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 8, maxLength: 40 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 120 }),
    fc.stringMatching(/^[A-Za-z0-9_-]{8,100}$/),
  )
  .map((text) => text.toWellFormed())
  .filter((value) => isRedactable(value) && value === value.trim() && !/[\r\n]/.test(value))
const anyText = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 20 }))
const around = fc.record<Around>({ before: anyText, after: anyText })
const anyForm = fc.constantFrom(...secretForms)

const fits = ({ fits = () => true }: SecretForm, secret: string): boolean => fits(secret)

describe('a Redactor', () => {
  test.each(secretForms.map((form) => [form.name, form] as const))('hides a secret in the form %s', (_, form) => {
    for (const secret of SECRETS.filter((one) => fits(form, one))) {
      const { text, traces } = form.write(secret, { before: 'before', after: ' after' })
      const redacted = Redactor.of([secret]).redact(text)
      expect(redacted).toContain(REDACTED)
      expect(redacted.startsWith('before')).toBe(true)
      expect(redacted.endsWith('after')).toBe(true)
      expect(traces.filter((trace) => redacted.includes(trace))).toEqual([])
    }
  })

  test('hides any secret in every form, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.array(anySecret, { minLength: 1, maxLength: 4 }), anyForm, around, (known, form, place) => {
        const [secret = ''] = known
        fc.pre(fits(form, secret))
        const { text, traces } = form.write(secret, place)
        const redacted = Redactor.of(known).redact(text)
        expect(redacted).toContain(REDACTED)
        expect(traces.filter((trace) => redacted.includes(trace))).toEqual([])
      }),
      { numRuns: rounds(200, 1500) },
    )
  })

  test('finds a secret in what the programs of this machine print of it', () => {
    const secret = 'open-sesame-42/and more'
    const input = `KEY=${secret}\nOTHER=1\n`
    for (const command of DUMPS) {
      const [program = '', ...args] = command.split(' ')
      const printed = printedBy(program, args, input)
      if (printed === null) continue // not every machine has every one of them
      expect([command, Redactor.of([secret]).redact(printed).includes(REDACTED)]).toEqual([command, true])
    }
    expect(printedBy('od', ['-c'], input)).not.toBeNull()
  })

  test('leaves a text without secrets as it is, and is the same string', () => {
    const ordinary = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.lorem({ maxCount: 30 }),
      fc.json(),
      fc.base64String(),
      fc.uuid(),
    )
    fc.assert(
      fc.property(fc.array(anySecret, { minLength: 1, maxLength: 5 }), fc.array(ordinary), (known, parts) => {
        const text = parts.join('\n')
        fc.pre(
          known.every(
            (secret) => !foldCase(text).replace(/\s/g, '').includes(foldCase(secret).replace(/\s/g, '').slice(0, 4)),
          ),
        )
        expect(Redactor.of(known).redact(text)).toBe(text)
      }),
      { numRuns: rounds(100, 500) },
    )
  })

  test.each(Object.entries(ORDINARY))('does not take %s for a secret', (_, text) => {
    const redactor = Redactor.of(['open-sesame-42', 'Correct Horse Battery', 'f'.repeat(64), 'hunter2hunter2'])
    expect(redactor.redact(text)).toBe(text)
  })

  test('hides a secret in a text that comes again and again, whether or not others without one were read before', () => {
    const redactor = Redactor.of(['open-sesame-42'])
    const [clean, ...others] = Array.from({ length: 500 }, (_, n) => `You are planner ${n}.`)
    for (const text of [clean, clean, ...others, clean]) expect(redactor.redactRepeated(String(text))).toBe(text)
    for (let time = 0; time < 2; time += 1)
      expect(redactor.redactRepeated(`${clean} open-sesame-42`)).toBe(`${clean} ${REDACTED}`)
    expect(Redactor.of(['planner 0']).with(redactor).redactRepeated(String(clean))).toBe(`You are ${REDACTED}.`)
  })

  test('hides no part of a secret: one character less, or another, and the text stays as it is', () => {
    const place = fc.constantFrom('first', 'last', 'middle')
    // No letter of what the forms write around a secret: that could stand for the one that was changed.
    const letters = fc.stringMatching(/^[a-df-lnpqs-wyz]{8,30}$/)
    fc.assert(
      fc.property(letters, anyForm, place, (secret, form, which) => {
        const at = { first: 0, middle: Math.floor(secret.length / 2), last: secret.length - 1 }[which]
        const guess = `${secret.slice(0, at)}#${secret.slice(at + 1)}`
        const { text } = form.write(guess, { before: '<', after: '>' })
        expect(Redactor.of([secret]).redact(text)).toBe(text)
      }),
      { numRuns: rounds(200, 1000) },
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
    const values = ['1234567', '  12345  ', '1234\n567', REDACTED, 'REDACTED', 'redacted']
    expect(values.map(isRedactable)).toEqual(values.map(() => false))
    expect(Redactor.of(values).isEmpty).toBe(true)
  })

  test('hides each line of a key, and the key with other line ends', () => {
    const line = (char: string): string => char.repeat(40)
    const key = `-----BEGIN KEY-----\n${line('A')}\n${line('B')}\n-----END KEY-----\n`
    const redactor = Redactor.of([key])
    expect(redactor.redact(`grep: ${line('B')}.`)).toBe(`grep: ${REDACTED}.`)
    expect(redactor.redact(`cat: ${key}.`)).toBe(`cat: ${REDACTED}\n.`)
    expect(redactor.redact(key.replaceAll('\n', '\r\n'))).not.toContain(line('A'))
    expect(redactor.redact('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----')
  })

  test('of a text that was cut off, sees by what comes behind whether a secret stands there', () => {
    const redactor = Redactor.of(['sesame-open-sesame'])
    const cutAfter = (text: string, rest: string): string => redactor.redact(text + rest, { until: text.length })
    expect(cutAfter('say sesame-op', 'en-sesame and on')).toBe(`say ${REDACTED}`)
    expect(cutAfter('say sesame-op', 'en-sesamX and on')).toBe('say sesame-op')
    expect(cutAfter('say ', 'sesame-open-sesame')).toBe('say ')
    expect(cutAfter('say it', '')).toBe('say it')
  })

  test.each([
    ['letters of a secret', 'a'.repeat(300_000)],
    ['letters apart', 'a-'.repeat(150_000)],
    ['white space', `${' '.repeat(100_000)}x`.repeat(3)],
    ['white space and letters', ' a'.repeat(150_000)],
    ['base64', 'ab+/'.repeat(75_000)],
    ['lines of base64', `${'ab'.repeat(20)}\n`.repeat(7_000)],
    ['lines of a dump', '0000000 6161 6262 6161 6262\n'.repeat(10_000)],
    ['dashes', '-'.repeat(300_000)],
  ])('takes time in proportion to the text, also of %s', (_, text) => {
    const redactor = Redactor.of(['a'.repeat(100), 'ab'.repeat(50)])
    const before = process.threadCpuUsage()
    redactor.redact(text)
    const { user, system } = process.threadCpuUsage(before)
    // Of this thread's own processor time, to which a busy machine adds nothing. A thousand times what it takes; what
    // is not in proportion takes minutes.
    expect((user + system) / 1_000_000).toBeLessThan(10)
  })
})

/** What dumps a file in one of the forms that are known. */
const DUMPS = `
  xxd; xxd -u; xxd -b; xxd -e; xxd -g1; xxd -g4; xxd -c 10; xxd -i; xxd -p; xxd -p -c 8
  hexdump; hexdump -C; hexdump -b; hexdump -c; hexdump -d; hexdump -o; hexdump -x
  od; od -a; od -b; od -c; od -d; od -i; od -o; od -s; od -x; od -t x1; od -t x1z; od -t x2; od -t x4; od -t x8; od -t o1; od -t o4
  od -t d1; od -t u1; od -t u2; od -t u4; od -A x -t x1z; od -A d -t x1; od -A n -t x1; od -A n -c; od -v -t x1 -w5
  base64; base64 -w 20; base32; base32 -w 20; rev; fold -w 7; fold -w 1; tr a-z A-Z; uuencode -m x`
  .split(/[;\n]/)
  .flatMap((command) => (command.trim() === '' ? [] : [command.trim()]))

function printedBy(program: string, args: readonly string[], input: string): string | null {
  const { error, status, stdout } = spawnSync(program, args, {
    input,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  return error === undefined && status === 0 ? stdout : null
}

const CERTIFICATE_LINE = 'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n'

const ORDINARY = {
  'hashes of git': '4d3e4c8a9b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e Fix the build\n9b0c1d2 Merge branch "open"\n',
  'sums of files': `${'e3b0c44298fc1c149afbf4c8996fb924'.repeat(2)}  open-sesame.txt\n`,
  'a UUID': 'id: 6f0a7e2e-6f4d-4c1b-9a3e-0f8f1f2f3f4f',
  'an image in base64': `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'.repeat(20)}`,
  'a dump': '00000000: 6f70 656e 2d73 6573 616d 652d 3433 0a    open-sesame-43.\n',
  'a table': Array.from({ length: 50 }, (_, n) => `${n * 7}\t${n % 13}\t${n * n}`).join('\n'),
  code: 'export const open = (sesame: string): string => sesame.split("").join("-") // 42\n'.repeat(20),
  'words of a secret': 'The correct horse has a battery. Open it, Sesame! In hunter 2 hunters met.',
  'a certificate': `-----BEGIN CERTIFICATE-----\n${CERTIFICATE_LINE.repeat(8)}-----END CERTIFICATE-----`,
}
