/**
 * While the event loop is busy, turns begin one by one: more of them at once would end no sooner, and a message that is
 * sent meanwhile would wait behind a step of each. Those that wait for a model or a command leave the loop to others,
 * so many still run side by side.
 */
import type { Clock } from '../platform/clock.ts'

/** So many begin whatever the load: one computes while others wait for the database, a model or a command. */
const ALWAYS = 6
/** Beyond these: twenty a second are more than models answer, and fewer than a busy process carries out. */
const BUSY_PAUSE_MS = 50
/** Between two busy moments: as many as were free at once would make the next one. */
const CAREFUL_PAUSE_MS = 10
/** Of no busy moment, after which every free slot may be taken at once. */
const CAREFUL_MS = 1_000

interface TurnPaceOptions {
  readonly load: { readonly isBusy: boolean }
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>
  /** Another turn may begin now, after none might. */
  readonly onNext: () => void
}

export class TurnPace {
  readonly #options: TurnPaceOptions
  #begunAtMs = -Infinity
  #busyAtMs = -Infinity
  #isWaiting = false

  constructor(options: TurnPaceOptions) {
    this.#options = options
  }

  begun(): void {
    this.#begunAtMs = this.#options.clock.monotonicMs()
  }

  /** How many of `free` slots may be taken now. When that is none although some are free, `onNext` follows. */
  allowed(free: number, running: number): number {
    const nowMs = this.#options.clock.monotonicMs()
    const { isBusy } = this.#options.load
    if (isBusy) this.#busyAtMs = nowMs
    if (free <= 0 || nowMs - this.#busyAtMs >= CAREFUL_MS) return free
    if (running < ALWAYS) return Math.min(free, ALWAYS - running)
    const waitMs = this.#begunAtMs + (isBusy ? BUSY_PAUSE_MS : CAREFUL_PAUSE_MS) - nowMs
    if (waitMs <= 0) return 1
    this.#callAfter(waitMs)
    return 0
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
