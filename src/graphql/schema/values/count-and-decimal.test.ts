import { describe, expect, test } from 'vitest'
import { readCount, writeCount } from './read-count.ts'
import { writeDecimal } from './money.ts'

describe('Count', () => {
  test.each([0, 1, 2 ** 31, Number.MAX_SAFE_INTEGER])('%d is one', (count) => {
    expect(readCount(count)).toBe(count)
    expect(writeCount(count)).toBe(count)
    expect(writeCount(BigInt(count))).toBe(count)
  })

  test.each([-1, 1.5, 2 ** 53, Number.NaN, '1', null, true])('%j is none', (value) => {
    expect(() => readCount(value)).toThrow('A Count is a whole number')
  })

  test.each([1.5, 2n ** 53n, '1', null])('%s is not shown as one', (value) => {
    expect(() => writeCount(value)).toThrow('no count')
  })
})

test.each([
  [0, '0'],
  [100, '100'],
  [0.1 + 0.2, '0.3'],
  [0.000001, '0.000001'],
  [1e-9, '0.000000001'],
  [1e-13, '0'],
  [-1e-13, '0'],
  [1234567.89, '1234567.89'],
  [-2.5, '-2.5'],
])('the Decimal of %d is %s', (amount, text) => {
  expect(writeDecimal(amount)).toBe(text)
})
