/**
 * While the event loop is busy and messages come in, turns begin one by one: each message waits behind a step of every
 * turn that computes. Turns that wait for a model or a command leave the loop to others, so many still run side by
 * side. Without messages nobody waits for the loop, and many at once cost less each.
 */
import type { Clock } from '../platform/clock.ts'

/** So many begin whatever the load: one computes while others wait for the database, a model or a command. */
const ALWAYS = 6
/** Beyond these: twenty a second are more than models answer, and fewer than a busy process carries out. */
const PAUSE_MS = 50
/** From one message to the next; and from a busy moment until all free slots may be taken at once, which make one. */
const RECENT_MS = 250

interface TurnPaceOptions {
  readonly load: { readonly isBusy: boolean }
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>
  /** Another turn may begin now, after fewer might than there were slots. */
  readonly onNext: () => void
}

export class TurnPace {
  readonly #options: TurnPaceOptions
  #begunAtMs = -Infinity
  #messageAtMs = -Infinity
  #busyAtMs = -Infinity
  #isWaiting = false

  constructor(options: TurnPaceOptions) {
    this.#options = options
  }

  /** A turn has begun. */
  begun(): void {
    this.#begunAtMs = this.#options.clock.monotonicMs()
  }

  /** A message is being accepted. */
  messageComes(): void {
    this.#messageAtMs = this.#options.clock.monotonicMs()
  }

  /** How many of `free` slots may be taken now. When that is not all of them, `onNext` follows. */
  allowed(free: number, running: number): number {
    const nowMs = this.#options.clock.monotonicMs()
    if (nowMs - this.#messageAtMs < RECENT_MS && this.#options.load.isBusy) this.#busyAtMs = nowMs
    if (free <= 0 || nowMs - this.#busyAtMs >= RECENT_MS) return free
    const waitMs = this.#begunAtMs + PAUSE_MS - nowMs
    const paced = waitMs <= 0 ? 1 : 0
    const allowed = Math.min(free, Math.max(ALWAYS - running, paced))
    if (allowed < free) this.#callAfter(allowed === 0 ? waitMs : PAUSE_MS)
    return allowed
  }

  #callAfter(waitMs: number): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#options.clock.after(waitMs, () => {
      this.#isWaiting = false
      this.#options.onNext()
    })
  }
}
