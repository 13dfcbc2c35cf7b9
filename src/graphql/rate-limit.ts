/**
 * Operations per minute and token, as a token bucket: a minute's worth may come at once, then they trickle. Counts queries,
 * mutations and subscriptions alike, over HTTP and WebSocket. Per process.
 */
import type { Clock } from '../platform/clock.ts'

interface Bucket {
  left: number
  at: number
}

export class RateLimit {
  readonly #clock: Clock
  readonly #perMinute: () => number
  /** By token name: as many as there are configured tokens. */
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock, perMinute: () => number) {
    this.#clock = clock
    this.#perMinute = perMinute
  }

  /** Takes one operation of this token. Returns 0, or how many milliseconds to wait when there is none left. */
  take(tokenName: string): number {
    const perMinute = this.#perMinute()
    const perMs = perMinute / 60_000
    const now = this.#clock.monotonicMs()
    const bucket = this.#buckets.get(tokenName) ?? { left: perMinute, at: now }
    this.#buckets.set(tokenName, bucket)
    bucket.left = Math.min(perMinute, bucket.left + (now - bucket.at) * perMs)
    bucket.at = now
    if (bucket.left < 1) return Math.ceil((1 - bucket.left) / perMs)
    bucket.left -= 1
    return 0
  }
}
