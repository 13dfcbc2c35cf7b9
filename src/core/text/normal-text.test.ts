import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { normalText } from './normal-text.ts'

/** Letters and signs of several scripts, and what is easily got wrong. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        'C++',
        'C#',
        '.env',
        '-5',
        '3.14',
        'ΣΟΦΟΣ',
        'σοφός',
        'Straße',
        'ﬁle',
        'İzmir',
        'I\u0307\u0323',
        'ﾊﾝ',
        'e\u0301',
        '(a)',
        '—',
        '**',
        '*',
        '_',
        '# ',
        '> ',
        '[a](b)',
        'сору',
        'Тhe',
        '✅',
        '\u{1f389}',
        '…',
        '"',
        ' ',
        '\n',
        '\u200b',
        '\u00ad',
        '\u0130',
      ),
    )
    .map((parts) => parts.join('')),
)

describe('the same text', () => {
  test('of every character that has case is its own normal text', () => {
    const characters = Array.from({ length: 0x2_0000 }, (_, code) => String.fromCodePoint(code))
    const cased = characters.filter((one) => one.toLowerCase() !== one || one.toUpperCase() !== one)
    expect(cased.length).toBeGreaterThan(2000)
    expect(cased.filter((one) => normalText(normalText(one)) !== normalText(one))).toEqual([])
  })

  test('its normal text is its own normal text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(normalText(normalText(text))).toBe(normalText(text))
      }),
      { numRuns: rounds(400, 2000) },
    )
  })

  test.each([
    ['Nightly builds run at 02:00 UTC.', 'nightly  builds\n run at 02:00 utc'],
    ['The file is "config.toml"!', 'the file is config.toml'],
    ['Straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['İKİ', 'iki'],
    ['Ｆｕｌｌ　ｗｉｄｔｈ', 'full width'],
    ['ﬁle', 'FILE'],
    ['caf\u00e9', 'cafe\u0301'],
    ['soft\u00adware', 'software'],
    ['deploys (always) on Friday', 'Deploys always — on Friday…'],
    ['don’t', "don't"],
    ['**Builds** run on _Fridays_.', 'Builds run on Fridays'],
    ['**All *builds* run** on Fridays', 'all builds run on fridays'],
    ['# Builds run', 'builds run'],
    ['- Builds run', '* builds run'],
    ['> Builds run', 'builds run'],
    ['See [the page](https://a.example/x).', 'see the page (https://a.example/x)'],
    ['Builds run \u{1f389}', 'builds run'],
    ['port 10–20', 'port 10-20'],
    ['fall\u2011back', 'fall-back'],
    ['it is −5', 'it is -5'],
    ['builds run—always', 'builds run always'],
    ['Тhe сору is in Berlin', 'The copy is in Berlin'],
    ['«Builds» run', '„builds“ run'],
  ])('%s = %s', (one, other) => {
    expect(normalText(one)).toBe(normalText(other))
  })

  test('in any case and with any white space', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z0-9äöüß+#.-]{1,8}$/), { minLength: 1 }),
        fc.constantFrom(' ', '\n', ' \t '),
        (words, space) => {
          const text = words.join(' ')
          expect(normalText(`${space}${words.join(space)}${space}.`.toUpperCase())).toBe(normalText(text))
        },
      ),
    )
  })
})

test.each([
  ['Use C++', 'Use C#'],
  ['Use C++', 'Use C'],
  ['It is -5 outside', 'It is 5 outside'],
  ['The port is 8080', 'The port is 8081'],
  ['pi is 3.14', 'pi is 314'],
  ['reads .env', 'reads env'],
  ['a <= b', 'a >= b'],
  ['The office is in 🇩🇪', 'The office is in 🇫🇷'],
  ['TLS 1.0 ✅', 'TLS 1.0 ❌'],
  ['it takes 5 µs', 'it takes 5 ms'],
  ['call __init__ first', 'call init first'],
  ['pass **kwargs', 'pass kwargs'],
  ['reads *.ts', 'reads .ts'],
  ['> 5 are needed', '5 are needed'],
])('not the same: %s, %s', (one, other) => {
  expect(normalText(one)).not.toBe(normalText(other))
})

test('what says nothing is empty', () => {
  for (const text of ['', ' \n\t', '…', ' — ', '"""', '\u200b', '(( ))', '?!']) expect(normalText(text)).toBe('')
})
