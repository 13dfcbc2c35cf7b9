/**
 * The log's lines about callers that are refused by a name which anyone can make up: an operator learns what to set,
 * and a scanner does not fill the log.
 */
import type { Clock } from '../../platform/clock.ts'

const EVERY_MS = 60_000
/** Within that time; more than that are sent on purpose. */
const MAX_NAMES = 20
const MAX_SHOWN = 200

export class RefusalLog {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #write: (shown: string) => void
  /** When each was logged last. */
  readonly #loggedAt = new Map<string, number>()

  /** `write` is called with the name, cut where it is long: once a minute for each, 20 times at most. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, write: (shown: string) => void) {
    this.#clock = clock
    this.#write = write
  }

  refused(name: string): void {
    const shown = name.slice(0, MAX_SHOWN)
    const now = this.#clock.monotonicMs()
    for (const [one, at] of this.#loggedAt) if (now - at >= EVERY_MS) this.#loggedAt.delete(one)
    if (this.#loggedAt.has(shown) || this.#loggedAt.size >= MAX_NAMES) return
    this.#loggedAt.set(shown, now)
    this.#write(shown)
  }
}
