import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { splitAtLoneClosing, ThoughtFilter, type Sifted } from './thought-filter.ts'

function sift(pieces: readonly string[]): Sifted {
  const filter = new ThoughtFilter()
  const parts = [...pieces.map((piece) => filter.add(piece)), filter.end()]
  return { text: parts.map(({ text }) => text).join(''), thought: parts.map(({ thought }) => thought).join('') }
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [...new Set(places.map((place) => place % (text.length + 1)))].toSorted((a, b) => a - b)
  return [0, ...at].map((begin, index) => text.slice(begin, at[index] ?? text.length))
}

describe('ThoughtFilter', () => {
  test.each([
    ['<think>hmm</think>Hello', 'Hello', 'hmm'],
    ['\n<think>\nhmm\n</think>\n\nHello\n', 'Hello\n', '\nhmm\n'],
    ['<THINK>hmm</Think>Hello', 'Hello', 'hmm'],
    ['[THINK]hmm[/THINK]Hello', 'Hello', 'hmm'],
    ['◁think▷hmm◁/think▷Hello', 'Hello', 'hmm'],
    ['<|channel|>analysis<|message|>hmm<|end|><|start|>assistant<|channel|>final<|message|>Hello', 'Hello', 'hmm'],
    ['<think>a</think>One\n<thinking>b</thinking>Two', 'One\nTwo', 'ab'],
    ['<think>a</think><think>b</think>Two', 'Two', 'ab'],
    ['<think>never ends', '', 'never ends'],
    ['<think>hmm</think>\n', '', 'hmm'],
    ['<think></think>{"goal":"<think>"}', '{"goal":"<think>"}', ''],
    ['<think>İİİ</think>İstanbul', 'İstanbul', 'İİİ'],
  ])('%j is %j', (whole, text, thought) => {
    expect(sift([whole])).toEqual({ text, thought })
  })

  test.each([
    'The mark <think> begins it.',
    'As code:\n```\n<think>kept</think>\n```\nso.',
    '{"goal":"say \\n<think>x</think>"}',
    '<thin',
    '  \n ',
    '',
    '1 < 2\n<this> is no mark',
  ])('%j is left as it is', (whole) => {
    expect(sift([whole])).toEqual({ text: whole, thought: '' })
  })

  const word = fc.constantFrom(
    '<think>',
    '</think>',
    '[THINK]',
    '[/think]',
    '<|channel|>analysis<|message|>',
    '<|end|>',
    '<|start|>assistant<|channel|>final<|message|>',
    '```',
    '\n',
    ' ',
    '<',
    'a',
    '{"b":1}',
    '😀',
    'İ',
    '<thi',
    'nk>',
  )

  test('gives the same for every cut of the stream', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), fc.array(fc.nat(), { maxLength: 10 }), (words, places) => {
        const whole = words.join('')
        expect(sift(cut(whole, places))).toEqual(sift([whole]))
        expect(sift(whole.split(''))).toEqual(sift([whole]))
      }),
      { numRuns: 2000 },
    )
  })

  test('lets nothing of the reasoning through, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-mİ <\n]{0,30}$/), fc.stringMatching(/^[n-z]{1,20}$/), (thought, text) => {
        const whole = `<think>${thought}</think>\n${text}`
        for (let at = 0; at <= whole.length; at++)
          expect(sift([whole.slice(0, at), whole.slice(at)])).toEqual({ text, thought })
      }),
    )
  })
})

describe('reasoning whose first mark is missing', () => {
  test('ends at its last mark', () => {
    expect(splitAtLoneClosing('Let me see.\n</think>\n\nHello')).toEqual({ text: 'Hello', thought: 'Let me see.\n' })
    expect(splitAtLoneClosing('So.</think>{"a":1}')).toEqual({ text: '{"a":1}', thought: 'So.' })
  })

  test('is not found in a document, or where the mark is spoken of', () => {
    expect(splitAtLoneClosing('{"a":"\\n</think>\\n"}')).toBeNull()
    expect(splitAtLoneClosing('It ends with </think> always.')).toBeNull()
    expect(splitAtLoneClosing('Hello')).toBeNull()
  })

  test.each([
    'As code:\n```\n<think>\nhmm\n</think>\nHello\n```\nso.',
    'The end alone:\n```xml\n</think>\n```\nso.',
    'In a list:\n- so:\n  ~~~\n</think>\n  ~~~',
    'A fence in a fence:\n````\n```\n</think>\n```\n````\nso.',
    'It begins with <THINK> and ends with\n</think>\nalways.',
  ])('is not found where the mark is quoted: %j', (text) => {
    expect(splitAtLoneClosing(text)).toBeNull()
  })

  test('is found behind code, behind marks that are spoken of, and behind letters that are longer in lower case', () => {
    expect(splitAtLoneClosing('So:\n```\na\n```\n</think>\nHello')).toEqual({
      text: 'Hello',
      thought: 'So:\n```\na\n```\n',
    })
    expect(splitAtLoneClosing('A </think> b, İ.\n</Think>\nHello')).toEqual({
      text: 'Hello',
      thought: 'A </think> b, İ.\n',
    })
  })

  test('is never found in a code block, wherever that stands', () => {
    const line = fc.constantFrom('Hello', '</think>', '<think>', '[/THINK]', '', 'İ', '{')
    const lines = fc.array(line, { maxLength: 6 })
    const around = fc.array(fc.constantFrom('Hello', '', 'so'), { maxLength: 4 })
    fc.assert(
      fc.property(around, lines, around, (before, quoted, after) => {
        expect(splitAtLoneClosing(['So:', ...before, '```', ...quoted, '```', ...after].join('\n'))).toBeNull()
      }),
    )
  })
})
