/** Bytes that cannot be guessed, as hex and as texts; and chances, which may be. */
import { randomBytes, randomFillSync, randomInt } from 'node:crypto'

/** `bytes` random bytes as lower-case hex: fences, tokens, correlation ids. */
export function randomHex(bytes: number): string {
  return randomOf(bytes).toString('hex')
}

/** To ask the system costs more than the bytes do, and every prompt and request wants some. */
const POOL_BYTES = 2048
const pool = Buffer.alloc(POOL_BYTES)
let drawn = POOL_BYTES

/** `bytes` random bytes. */
export function randomOf(bytes: number): Buffer {
  if (bytes > POOL_BYTES) return randomBytes(bytes)
  if (drawn + bytes > POOL_BYTES) {
    randomFillSync(pool)
    drawn = 0
  }
  const given = Buffer.from(pool.subarray(drawn, drawn + bytes))
  // Given once, to be found nowhere afterwards.
  pool.fill(0, drawn, drawn + bytes)
  drawn += bytes
  return given
}

/** `length` random characters, each of the alphabet's with the same chance: for people to type. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}

/** A number in [0, 1): the jitter of waits. */
export function randomFraction(): number {
  return Math.random()
}
