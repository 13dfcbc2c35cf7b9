/**
 * A vector in 1024 bits, by which PostgreSQL finds the nearest of many: the part of bits in which two sketches differ
 * is the angle between the vectors, through half a turn. Pure. The bits are on which side of 1024 planes a vector lies
 * that have nothing to do with what it means: signs, and sums of all with all (the Walsh-Hadamard transform), twice.
 *
 * What must hold: a vector has the same sketch for ever, as sketches are stored.
 */

export const SKETCH_BITS = 1024

/** "0" and "1". */
export function sketchOf(vector: Float32Array): string {
  const mixed = new Float64Array(2 ** Math.ceil(Math.log2(Math.max(vector.length, SKETCH_BITS))))
  mixed.set(vector)
  for (const seed of [0x9e3779b9, 0x85ebca6b]) {
    changeSigns(mixed, seed)
    addAllWithAll(mixed)
  }
  return Array.from(mixed.subarray(0, SKETCH_BITS), (part) => (part > 0 ? '1' : '0')).join('')
}

/** By a generator of our own (xorshift), which no version of the runtime changes. */
function changeSigns(values: Float64Array, seed: number): void {
  let state = seed
  values.forEach((value, at) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    if (state < 0) values[at] = -value
  })
}

function addAllWithAll(values: Float64Array): void {
  for (let half = 1; half < values.length; half *= 2)
    for (let from = 0; from < values.length; from += 2 * half)
      for (let at = from; at < from + half; at++) {
        const [one = 0, other = 0] = [values[at], values[at + half]]
        values[at] = one + other
        values[at + half] = one - other
      }
}

/** Of two vectors whose sketches differ in so many bits: about their cosine. */
export function cosineOfSketches(differing: number): number {
  return Math.cos((Math.PI * differing) / SKETCH_BITS)
}

/** Exactly; 0 for vectors of different lengths, which no model gives. */
export function cosineOf(one: Float32Array, other: Float32Array): number {
  if (one.length !== other.length) return 0
  let [product, ofOne, ofOther] = [0, 0, 0]
  for (let at = 0; at < one.length; at++) {
    const [a = 0, b = 0] = [one[at], other[at]]
    product += a * b
    ofOne += a * a
    ofOther += b * b
  }
  return product / Math.sqrt(ofOne * ofOther || 1)
}
