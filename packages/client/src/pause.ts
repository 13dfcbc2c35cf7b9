/** Waiting, as the client does it: it ends at once when the signal is aborted, and grows with each failure in a row. */

const FIRST_MS = 200
const LONGEST_MS = 10_000

/** Resolves after that time, or as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

/** The pauses of what is tried again and again: longer after each failure in a row. */
export class Backoff {
  #failures = 0
  #beganAt = performance.now()

  /**
   * Waits after a failure, and at least for as long as the server has asked for. What has stood for longer than any
   * pause fails anew; that something came in between says little, as it may do so each time before it fails.
   */
  async pause(retryAfterMs: number | null, signal: AbortSignal): Promise<void> {
    if (performance.now() - this.#beganAt > LONGEST_MS) this.#failures = 0
    this.#failures += 1
    await pause(Math.max(retryDelayMs(this.#failures), retryAfterMs ?? 0), signal)
    this.#beganAt = performance.now()
  }
}

/**
 * How long to wait after the `failures`-th failure in a row, from 1: growing, and never the same for all clients at
 * once.
 */
export function retryDelayMs(failures: number): number {
  const fullMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
  return fullMs * (0.5 + Math.random() / 2)
}
