import fc from 'fast-check'
import { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { rounds } from '../../../test/harness/rounds.ts'
import { jsonBytes } from './answer-budget.ts'

function written(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

describe('jsonBytes', () => {
  test('is what JSON.stringify writes', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(text, fc.array(text))), (value) => {
        expect(jsonBytes(value, Infinity)).toBe(written(value))
      }),
      { numRuns: rounds(400, 2000) },
    )
  })

  test.each([
    [Object.create(null)],
    ['\u0000\u001f"\\\ud800'],
    [[new Date(0), 1e21, -0.5, Number.NaN]],
    [{ left: undefined, right: [undefined] }],
    [new GraphQLError('No.', { path: ['a', 0], extensions: { code: 'NO' } })],
  ])('%#: whatever a result may hold', (value) => {
    expect(jsonBytes(value, Infinity)).toBe(written(value))
  })

  test('stops soon after enough', () => {
    let read = 0
    const texts = Array.from({ length: 1000 }, () => ({
      get text() {
        read += 1
        return 'x'.repeat(100)
      },
    }))
    expect(jsonBytes(texts, 2000)).toBeGreaterThan(2000)
    expect(read).toBeLessThan(25)
  })
})
