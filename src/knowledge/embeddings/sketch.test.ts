import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cosineOf, cosineOfSketches, SKETCH_BITS, sketchOf } from './sketch.ts'

const vectorOf = (parts: readonly number[]): Float32Array => Float32Array.from(parts)
const part = fc.double({ min: -1, max: 1, noNaN: true })
const vectors = fc
  .integer({ min: 8, max: 1600 })
  .chain((length) => fc.tuple(...[0, 1].map(() => fc.array(part, { minLength: length, maxLength: length }))))

function differing(one: string, other: string): number {
  return one.split('').filter((bit, at) => bit !== other[at]).length
}

test('how many bits differ is about the angle, for vectors of any length', () => {
  fc.assert(
    fc.property(vectors, ([one = [], other = []]) => {
      fc.pre([one, other].every((parts) => Math.hypot(...parts) > 0.1))
      const [a, b] = [vectorOf(one), vectorOf(other)]
      const found = cosineOfSketches(differing(sketchOf(a), sketchOf(b)))
      // Five standard deviations of 1024 bits.
      expect(Math.abs(found - cosineOf(a, b))).toBeLessThan(0.25)
      expect(sketchOf(a)).toHaveLength(SKETCH_BITS)
    }),
    { numRuns: 60 },
  )
})

test('a vector has the same sketch for ever, also a longer or shorter one of the same direction', () => {
  const vector = Float32Array.from({ length: 384 }, (_, at) => Math.sin(at * at))
  const sketch = sketchOf(vector)
  expect(createHash('sha256').update(sketch).digest('hex').slice(0, 16)).toMatchInlineSnapshot(`"d1a52d8beaa6acf6"`)
  expect(sketchOf(vector.map((one) => 3 * one))).toBe(sketch)
})
