/**
 * Operations per minute and token, as a token bucket: a minute's worth may come at once, then they trickle. Counts
 * queries, mutations and subscriptions alike, over HTTP and WebSocket; what costs more counts as several, which are
 * taken once the cost is known, and then what follows waits for them. Processes notify each other several times a
 * second of what they have admitted, and each takes it off its own buckets: so the rate holds for all of them together,
 * wherever a token's operations arrive. What several processes admit before they have notified each other exceeds the
 * rate, and is made up for by longer waits.
 */
import type { Notification, HeardOf } from '../../events/notification.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { randomHex } from '../../platform/random.ts'

interface Bucket {
  /** Below 0 when more came in elsewhere than there was, or when what came in cost more. */
  left: number
  at: number
  /** When the log last said that operations are refused. */
  saidAt: number
}

export interface RateLimitOptions {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>
  readonly perMinute: () => number
  readonly logger: Pick<Logger, 'warn'>
  readonly doorbell: {
    ring(notification: Notification): void
    on(kind: 'spent', handler: (heard: HeardOf<'spent'>) => void): () => void
  }
}

const SEND_AFTER_MS = 200
const SAY_EVERY_MS = 60_000
/** What an operation may cost (operation-limits.ts) and count as one. */
const COST_OF_ONE = 100

export class RateLimit {
  readonly #options: RateLimitOptions
  /** By token name: as many as there are configured tokens. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #instance = randomHex(8)
  /** By token name: admitted by this process, and not yet sent to the others. */
  readonly #unsent = new Map<string, number>()
  #sent = 0
  #cancelSend: (() => void) | null = null
  #stopListening: () => void = () => undefined

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  start(): void {
    this.#stopListening = this.#options.doorbell.on('spent', ({ by, token, count }) => {
      if (by !== this.#instance) this.#bucketOf(token).left -= count
    })
  }

  stop(): void {
    this.#stopListening()
    this.#cancelSend?.()
  }

  /** Takes one operation of this token. Returns 0, or how many milliseconds to wait when there is none left. */
  take(tokenName: string): number {
    const bucket = this.#bucketOf(tokenName)
    if (bucket.left < 1) {
      this.#say(tokenName, bucket)
      return Math.ceil((1 - bucket.left) / (this.#options.perMinute() / 60_000))
    }
    this.spend(tokenName, 1)
    return 0
  }

  /** Takes the rest of an operation that was taken as one: one for each 100 that it costs. */
  takeCost(tokenName: string, cost: number): void {
    const rest = Math.ceil(cost / COST_OF_ONE) - 1
    if (rest > 0) this.spend(tokenName, rest)
  }

  /** Takes so many, also where there are fewer left. */
  spend(tokenName: string, count: number): void {
    this.#bucketOf(tokenName).left -= count
    this.#unsent.set(tokenName, (this.#unsent.get(tokenName) ?? 0) + count)
    this.#cancelSend ??= this.#options.clock.after(SEND_AFTER_MS, () => this.#send())
  }

  /** Once a minute and token, since what comes a hundred times a second would bury all other lines. */
  #say(tokenName: string, bucket: Bucket): void {
    if (bucket.at - bucket.saidAt < SAY_EVERY_MS) return
    bucket.saidAt = bucket.at
    const line = 'requests of a token are refused: it sends more than requests_per_minute; if it has leaked, remove it'
    this.#options.logger.warn({ tokenName }, line)
  }

  /** As it is at this moment. */
  #bucketOf(tokenName: string): Bucket {
    const perMinute = this.#options.perMinute()
    const now = this.#options.clock.monotonicMs()
    const bucket = this.#buckets.get(tokenName) ?? { left: perMinute, at: now, saidAt: -Infinity }
    this.#buckets.set(tokenName, bucket)
    bucket.left = Math.min(perMinute, bucket.left + ((now - bucket.at) * perMinute) / 60_000)
    bucket.at = now
    return bucket
  }

  #send(): void {
    this.#cancelSend = null
    for (const [token, count] of this.#unsent) {
      this.#sent += 1
      this.#options.doorbell.ring({ kind: 'spent', by: this.#instance, n: this.#sent, token, count })
    }
    this.#unsent.clear()
  }
}
