import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AnswerCut, AnswerGauge, type AnswerKind } from './answer-gauge.ts'

const DOCUMENT: AnswerKind = { isError: false, isStream: false }
const STREAM: AnswerKind = { isError: false, isStream: true }
const ERROR: AnswerKind = { isError: true, isStream: false }

/** The verdict on `text`, which comes in pieces of `size` bytes. */
function measure(kind: AnswerKind, text: string, size = 65_536): string {
  const gauge = new AnswerGauge(kind)
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) {
    const verdict = gauge.add(bytes.subarray(at, at + size))
    if (verdict !== 'more') return verdict instanceof AnswerCut ? verdict.message : verdict
  }
  return 'more'
}

describe('AnswerGauge', () => {
  test('lets every ordinary JSON document pass, however it is cut', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 1, max: 20 }), (json, size) => {
        expect(measure(DOCUMENT, json, size)).toBe('more')
      }),
    )
  })

  test.each([
    {
      name: 'a document of more than 4 MiB',
      kind: DOCUMENT,
      text: 'x'.repeat(5_000_000),
      verdict: 'it is larger than 4194304 bytes',
    },
    {
      name: 'an event of more than 4 MiB',
      kind: STREAM,
      text: 'x'.repeat(5_000_000),
      verdict: 'it is larger than 4194304 bytes',
    },
    {
      name: 'a stream of more than 64 MiB',
      kind: STREAM,
      text: `${'x'.repeat(1_000_000)}\n`.repeat(68),
      verdict: 'it is larger than 67108864 bytes',
    },
    {
      name: 'a document nested too deep',
      kind: DOCUMENT,
      text: '{"a":['.repeat(33),
      verdict: 'it is nested more than 64 levels deep',
    },
    {
      name: 'an event nested too deep',
      kind: STREAM,
      text: `data: ${'['.repeat(65)}`,
      verdict: 'it is nested more than 64 levels deep',
    },
  ])('refuses $name', ({ kind, text, verdict }) => {
    expect(measure(kind, text)).toBe(verdict)
  })

  test('counts brackets in strings as text', () => {
    expect(measure(DOCUMENT, JSON.stringify({ text: '\\"[{'.repeat(1000) }), 7)).toBe('more')
  })

  test('begins anew with every line of a stream', () => {
    expect(measure(STREAM, 'data: [[[ "\n'.repeat(100))).toBe('more')
  })

  test('has enough of an error page after 64 KiB, whatever is in it', () => {
    expect(measure(ERROR, '['.repeat(60_000))).toBe('more')
    expect(measure(ERROR, '['.repeat(70_000))).toBe('enough')
  })
})
