/**
 * How fast messages of a server of tools are taken: one that floods (progress, changed lists) is slowed down, so that
 * it costs this process little and its own pipe fills up.
 */
import type { Clock } from '../platform/clock.ts'

const WINDOW_MS = 100
const MAX_IN_WINDOW = 200

/** One for each connection. */
export class Pace {
  readonly #clock: Clock
  #sinceMs = 0
  #taken = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when so many messages may be taken: at once, for all that does not flood. */
  async take(count: number): Promise<void> {
    const nowMs = this.#clock.monotonicMs()
    if (nowMs - this.#sinceMs > WINDOW_MS) {
      this.#sinceMs = nowMs
      this.#taken = 0
    }
    this.#taken += count
    if (this.#taken <= MAX_IN_WINDOW) return
    await this.#clock.sleep((WINDOW_MS * this.#taken) / MAX_IN_WINDOW)
  }
}
