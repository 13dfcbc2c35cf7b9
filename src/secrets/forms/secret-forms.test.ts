import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { REDACTED } from '../../core/text/redacted.ts'
import { keyForms } from './key-forms.ts'
import { hideForms, secretsByForm } from './secret-forms.ts'
import { sentenceForms } from './sentence-forms.ts'

const HEX = '0123456789abcdef'.repeat(4)
const LONG = 'aB3'.repeat(12)
const BASIC = Buffer.from('user:hunter22').toString('base64')
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'aB3/'.repeat(16)}\n${'Zy9+'.repeat(16)}\n-----END RSA PRIVATE KEY-----`

describe('what looks like a secret', () => {
  test.each([
    ['DB_PASSWORD=hunter2!x', 'hunter2!x'],
    ['DB_PASSWORD=swordfishes', 'swordfishes'],
    ['DB_PASSWORD="two words 12"', 'two words 12'],
    ['DB_PASSWORD: hunter22', 'hunter22'],
    ['spring.datasource.password=hunter22', 'hunter22'],
    ['{"password": "hunter22", "user": "x"}', 'hunter22'],
    ["const dbPassword = 'hunter22'", 'hunter22'],
    ['client_secret=abc123DEF456', 'abc123DEF456'],
    ['secret: DB_URL=hunter-hunter-1', 'hunter-hunter-1'],
    ['secret: DB_URL=hunter-hunter-1\nand what follows', 'hunter-hunter-1'],
    ['token: ABC12=', 'ABC12='],
    ['{"client_secret":"abc123DEF456"}', 'abc123DEF456'],
    [`AccountName=x;AccountKey=${LONG}==;EndpointSuffix=y`, `${LONG}==`],
    [`Authorization: Bearer ${LONG}`, LONG],
    [`curl -H 'authorization: bearer ${LONG}'`, LONG],
    ['Authorization: Basic dXNlcjpodW50ZXIy', 'dXNlcjpodW50ZXIy'],
    [`send "Basic ${BASIC}"`, BASIC],
    [`use hf_${LONG}`, `hf_${LONG}`],
    [`use SG.${LONG}.${LONG}.`, `SG.${LONG}.${LONG}`],
    [`use pypi-${LONG}`, `pypi-${LONG}`],
    [`use github_pat_${LONG}`, `github_pat_${LONG}`],
    [`use sk-${LONG}`, `sk-${LONG}`],
    [`use fct_${HEX}`, `fct_${HEX}`],
    ['use AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
    [`eyJhbGciOiJIUzI1NiJ9.${LONG}.${LONG}`, `eyJhbGciOiJIUzI1NiJ9.${LONG}.${LONG}`],
    [`https://hooks.slack.com/services/T000/B000/${LONG}`, `services/T000/B000/${LONG}`],
    [`https://discord.com/api/webhooks/1234567890/${LONG}`, `webhooks/1234567890/${LONG}`],
    [`https://x.webhook.office.com/webhookb2/${LONG}@y/IncomingWebhook/z`, `webhookb2/${LONG}@y/IncomingWebhook/z`],
    [`https://prod.westeurope.logic.azure.com:443/workflows/x?api=1&sig=${LONG}`, LONG],
    [`https://chat.googleapis.com/v1/spaces/A/messages?key=${LONG}`, `A/messages?key=${LONG}`],
    ['https://chat.example.org:8065/hooks/xj5kz3q8m7bnfgwc1ydr9tuh4o', 'xj5kz3q8m7bnfgwc1ydr9tuh4o'],
    [`https://api.telegram.org/bot123456789:${LONG.slice(0, 35)}/x`, `123456789:${LONG.slice(0, 35)}`],
    ['postgres://app:hunter2@db.example.org/app', 'hunter2'],
    [PEM, PEM],
    [`the key: ${HEX}`, HEX],
    [HEX, HEX],
    ['The password of the router is Tr0ub4dor&3.', 'Tr0ub4dor&3'],
    ['the password of staging is hunter22', 'hunter22'],
    ['The password for db.example.org is "hunter22".', 'hunter22'],
    ['Das Passwort von Anna lautet Sommer2026x.', 'Sommer2026x'],
    ['Das Kennwort für db.example.org ist „Sommer2026x“.', 'Sommer2026x'],
    ['Le mot de passe du serveur est Soleil2026x.', 'Soleil2026x'],
    ['Le mot de passe du serveur : « Soleil2026x ».', 'Soleil2026x'],
    ['La contraseña de la base es Verano2026x.', 'Verano2026x'],
    ['A senha do servidor é Verao2026x.', 'Verao2026x'],
    ['La password del server è Estate2026x.', 'Estate2026x'],
    ['サーバーのパスワードはNatsu2026xです。', 'Natsu2026x'],
    ['服务器的密码是Xiatian2026。', 'Xiatian2026'],
  ])('is found: %s', (text, value) => {
    expect(secretsByForm(text)).toEqual([value])
  })

  test.each([
    'The commit is 4d3e4c8a9b0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e.',
    `commit ${HEX}\nAuthor: Ada <ada@example.org>`,
    `docker pull image@sha256:${HEX}`,
    `SHA256 (file.tar.gz) = ${HEX}`,
    `${HEX}  file.tar.gz`,
    `${HEX} *file.tar.gz\n${HEX}  other.tar.gz`,
    `Please verify the download against ${HEX}.`,
    `ETag: "${HEX}"`,
    `0123456789abcdef${HEX}`,
    'id: 6f0a7e2e-6f4d-4c1b-9a3e-0f8f1f2f3f4f',
    'The password of the staging database is kept in the vault under db/staging.',
    'The password is unknown, and the version of the server is 2.14.3-beta.',
    'The token expires: 2026-11-22T10:00:00Z. The token is valid until 2026-11-22.',
    'DB_PASSWORD=$SECRET and API_KEY=${KEY} and TOKEN=<your-token-1> and SECRET={{ secret1 }}',
    'PASSWORD: required, SECRET: everything.',
    'password: process.env.DB_PASSWORD2, token: readToken(1234567)',
    'PASSWORD_FILE=/run/secrets/db1 SECRET=/etc/app/secret1 PASSWORD=********',
    'max_tokens = 4096; const token = readToken(); total_token: 128000000',
    'The token is valid for an hour. Basic authentication is off. Bearer tokens are rotated.',
    'Basic authentication2 is better than Bearer authentication.',
    'See https://example.org:8080/a:b@c and mailto:ada@example.org, at 12:30.',
    'https://api.example.org/hooks/installation and https://discord.com/api/docs',
    `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB'.repeat(8)}`,
    'The key to success is 80% patience. A secret: eat well. Schlüssel: links.',
    `integrity sha512-${'aB3/'.repeat(21)}==`,
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  ])('is not found in an ordinary text: %s', (text) => {
    expect(secretsByForm(text)).toEqual([])
  })

  test('is hidden whatever it is and whatever stands around it, and nothing else is', () => {
    const value = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{10,30}[0-9][a-z]{2}$/)
    const place = fc.constantFrom<(value: string) => string>(
      (it) => `DB_PASSWORD=${it}`,
      (it) => `client_secret=${it}`,
      (it) => `"client_secret": "${it}"`,
      (it) => `AccountKey=${it}==;`,
      (it) => `Authorization: Bearer ${it}xxxx`,
      (it) => `hf_${it}`,
      (it) => `SG.${it}xxxx.${it}xxxx`,
      (it) => `pypi-${it}`,
      (it) => `https://hooks.slack.com/services/T0/B0/${it}`,
      (it) => `https://discord.com/api/webhooks/123456/${it}xx`,
      (it) => `the password of staging is ${it}`,
      (it) => `das Passwort von Köln lautet ${it}.`,
      (it) => `パスワードは${it}です`,
    )
    const prose = fc.lorem({ maxCount: 20 })
    fc.assert(
      fc.property(value, place, fc.tuple(prose, prose), (secret, write, [before, after]) => {
        const hidden = hideForms(`${before} ${write(secret)} ${after}`)
        expect(hidden).toContain(REDACTED)
        expect(hidden).not.toContain(secret)
        expect(hidden.startsWith(before)).toBe(true)
        expect(hidden.endsWith(after)).toBe(true)
        expect(hideForms(hidden)).toBe(hidden)
      }),
      { numRuns: rounds(200, 1000) },
    )
  })

  test('is nowhere in prose, ids, hashes of git, and code', () => {
    const hash = fc.stringMatching(/^[0-9a-f]{40}$/)
    const ordinary = fc.oneof(fc.lorem({ maxCount: 30 }), fc.uuid(), hash, fc.integer().map(String), fc.webUrl())
    fc.assert(
      fc.property(fc.array(ordinary), (parts) => {
        const text = parts.join('\n')
        expect(hideForms(text)).toBe(text)
      }),
      { numRuns: rounds(100, 500) },
    )
  })
})

/** What makes a pattern that may begin everywhere, or go on for ever, read a text again and again. */
const HOSTILE = [
  'token=',
  'token=a',
  'password of ',
  'password of a.b',
  'the password is ',
  'Passwort von ',
  'パスワード',
  'パスワードは',
  'Bearer ',
  'Bearer a',
  'Basic ',
  'Basic QUFB',
  'Authorization: ',
  'https://logic.azure.com/',
  'https://logic.azure.com/?sig=',
  'https://a/hooks/',
  'https://hooks.slack.com/services/',
  'http://a:',
  '://a',
  '://',
  '12345678:',
  'hf_',
  'sk-',
  'SG.',
  'SG.a.',
  'eyJ',
  'eyJaaaaaaaa.',
  'PASSWORD_',
  'A_',
  'a-',
  'a',
  '0',
  'f',
  `${HEX} `,
  '.',
  '.)',
  '"',
  ' ',
  '\n',
  '=',
  ':',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN A ',
  '-----END ',
  '-',
]

describe('searching for it', () => {
  test('begins at cues of bounded length, and reads so far behind each: so the time is in proportion to the text', () => {
    for (const { cue, reach } of [...keyForms, ...sentenceForms]) {
      expect(cue.flags).toContain('g')
      // No "*", no "+", no "{3,}", but as a character among others.
      const quantifiers = cue.source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/g, 'x')
      expect(quantifiers).not.toMatch(/[*+]|\{\d+,\}/)
      expect(reach).toBeLessThanOrEqual(16_384)
    }
  })

  test.each(HOSTILE)('takes 32 times as long for 32 times as much of %j, not 1024 times', (piece) => {
    const make = (chars: number): string => piece.repeat(Math.ceil(chars / piece.length))
    const [short, long] = [make(2048), make(2048 * 32)]
    const timeMs = (run: () => void): number => {
      const startedMs = performance.now()
      run()
      return performance.now() - startedMs
    }
    const ratio = (): number => {
      const often = timeMs(() => {
        for (let count = 0; count < 32; count++) secretsByForm(short)
      })
      return timeMs(() => secretsByForm(long)) / often
    }
    // In proportion it is 1. What others do on the machine meanwhile may slow down one half, but not the same one each
    // time.
    let least = Infinity
    for (let tries = 0; tries < 10 && least >= 8; tries++) least = Math.min(least, ratio())
    expect(least).toBeLessThan(8)
  })
})
