/**
 * How many of the facts nearest to a question by their vectors are found by sketches first: vectors of 1 536 numbers as
 * models give them, which share most with what is about the same. Exact search is what both are measured by.
 */
import { cosineOf, SKETCH_BITS, sketchOf } from '../../src/knowledge/embeddings/sketch.ts'
import { SeededRandom } from '../../test/harness/seeded-random.ts'

const DIMENSIONS = 1536
const QUESTIONS = 10
/** Nearest to a question by their vectors. */
export const WANTED = 20

export interface SketchRecall {
  readonly size: number
  /** Of the nearest twenty, by how many candidates there were. */
  readonly shares: readonly number[]
  readonly exactMs: number
}

/** Facts as vectors, and questions with those that are nearest to them. */
export interface Nearest {
  readonly facts: readonly Float32Array[]
  readonly questions: readonly { readonly vector: Float32Array; readonly near: readonly number[] }[]
  readonly exactMs: number
}

export function findNearest(size: number, seed: number): Nearest {
  const random = new SeededRandom(seed)
  const topics = topicsOf(random, size)
  const facts = Array.from({ length: size }, () => vectorAbout(random, topics))
  let exactMs = 0
  const questions = Array.from({ length: QUESTIONS }, () => {
    const vector = mix(random, [[random.pick(facts), 1]], 0.7)
    const beganMs = performance.now()
    const near = ordered(facts.map((fact) => cosineOf(fact, vector))).slice(0, WANTED)
    exactMs += performance.now() - beganMs
    return { vector, near }
  })
  return { facts, questions, exactMs: exactMs / QUESTIONS }
}

/** `candidates`: how many are compared exactly. */
export function measureSketches({ facts, questions, exactMs }: Nearest, candidates: readonly number[]): SketchRecall {
  const sketches = facts.map(bitsOf)
  const found = candidates.map(() => 0)
  for (const { vector, near } of questions) {
    const sketch = bitsOf(vector)
    const order = ordered(sketches.map((one) => -differing(one, sketch)))
    candidates.forEach((count, at) => {
      const among = new Set(order.slice(0, count))
      found[at] = (found[at] ?? 0) + near.filter((one) => among.has(one)).length
    })
  }
  return { size: facts.length, shares: found.map((one) => one / (QUESTIONS * WANTED)), exactMs }
}

interface Topics {
  readonly common: Float32Array
  readonly kinds: readonly (readonly Float32Array[])[]
}

/** What all texts have in common, and what those about one project, one component, one attribute have. */
function topicsOf(random: SeededRandom, size: number): Topics {
  const many = (count: number): Float32Array[] => Array.from({ length: count }, () => noise(random))
  return { common: noise(random), kinds: [many(Math.ceil(size / 100)), many(30), many(40)] }
}

function vectorAbout(random: SeededRandom, { common, kinds }: Topics): Float32Array {
  const parts = kinds.map((kind): Part => [random.pick(kind), 0.6])
  return mix(random, [[common, 1], ...parts], 0.5)
}

type Part = readonly [vector: Float32Array, weight: number]

/** Of length 1. */
function mix(random: SeededRandom, parts: readonly Part[], noisy: number): Float32Array {
  const sum = noise(random).map((one) => one * noisy)
  for (const [vector, weight] of parts) vector.forEach((one, at) => (sum[at] = (sum[at] ?? 0) + weight * one))
  const length = Math.hypot(...sum)
  return sum.map((one) => one / length)
}

/** A direction drawn by lot, of length 1. */
function noise(random: SeededRandom): Float32Array {
  const drawn = Float32Array.from(
    { length: DIMENSIONS },
    () => random.fraction() + random.fraction() + random.fraction() - 1.5,
  )
  const length = Math.hypot(...drawn)
  return drawn.map((one) => one / length)
}

function bitsOf(vector: Float32Array): Uint32Array {
  const sketch = sketchOf(vector)
  return Uint32Array.from({ length: SKETCH_BITS / 32 }, (_, at) =>
    Number.parseInt(sketch.slice(32 * at, 32 * at + 32), 2),
  )
}

function differing(one: Uint32Array, other: Uint32Array): number {
  let bits = 0
  for (let at = 0; at < one.length; at += 1) {
    let left = ((one[at] ?? 0) ^ (other[at] ?? 0)) >>> 0
    left -= (left >>> 1) & 0x55555555
    left = (left & 0x33333333) + ((left >>> 2) & 0x33333333)
    bits += Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return bits
}

const ordered = (scores: readonly number[]): number[] =>
  [...scores.keys()].toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
