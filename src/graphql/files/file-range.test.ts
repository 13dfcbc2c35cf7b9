import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRange } from './file-range.ts'

describe('a range of bytes', () => {
  test.each([
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=2-5', { start: 2, end: 5 }],
    ['bytes=2-500', { start: 2, end: 9 }],
    ['bytes=9-9', { start: 9, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-300', { start: 0, end: 9 }],
    ['BYTES= 1-2 ', { start: 1, end: 2 }],
    ['bytes=10-', 'UNSATISFIABLE'],
    ['bytes=-0', 'UNSATISFIABLE'],
    ['bytes=5-2', 'WHOLE'],
    ['bytes=0-1,3-4', 'WHOLE'],
    ['bytes=-', 'WHOLE'],
    ['items=0-1', 'WHOLE'],
    ['bytes=0x1-2', 'WHOLE'],
    [undefined, 'WHOLE'],
  ])('%s of ten bytes', (header, expected) => {
    expect(readRange(header, 10)).toEqual(expected)
  })

  test('lies within the file, whatever is asked for', () => {
    const number = fc.oneof(fc.constant(''), fc.bigInt({ min: 0n, max: 2n ** 80n }).map(String))
    fc.assert(
      fc.property(number, number, fc.nat(), (first, last, size) => {
        const range = readRange(`bytes=${first}-${last}`, size)
        const { start, end } = typeof range === 'string' ? { start: 0, end: size } : { ...range, end: range.end + 1 }
        expect([start >= 0, start <= end, end <= size]).toEqual([true, true, true])
      }),
    )
  })
})
