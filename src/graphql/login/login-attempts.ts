/**
 * How often an address may be wrong. Tokens and links are too long to be guessed; this bounds what wrong ones cost, and
 * what they write into the audit. Each process counts by itself.
 */
import type { Clock } from '../../platform/clock.ts'

const MAX_WRONG = 20
const WINDOW_MS = 60_000
/** The one that was wrong first is forgotten when there are more. */
const MAX_ADDRESSES = 10_000

interface Window {
  readonly since: number
  wrong: number
}

export class LoginAttempts {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #windows = new Map<string, Window>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** Milliseconds until this address may try again; 0: now. */
  waitMs(address: string): number {
    const window = this.#windows.get(address)
    if (window === undefined || window.wrong < MAX_WRONG) return 0
    return Math.max(0, Math.ceil(window.since + WINDOW_MS - this.#clock.monotonicMs()))
  }

  wasWrong(address: string): void {
    const now = this.#clock.monotonicMs()
    const known = this.#windows.get(address)
    const isOver = known === undefined || now - known.since >= WINDOW_MS
    if (isOver) this.#windows.delete(address)
    const window = isOver ? { since: now, wrong: 0 } : known
    window.wrong += 1
    this.#windows.set(address, window)
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > MAX_ADDRESSES && oldest !== undefined) this.#windows.delete(oldest)
  }
}
