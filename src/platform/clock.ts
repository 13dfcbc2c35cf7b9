/**
 * Time as the rest of the code sees it. In the server it is the database's (src/store/connection/database-clock.ts),
 * which all processes share whatever the clocks of their hosts say; `systemClock` measures durations. Leases and
 * heartbeats are decided in SQL.
 */
export interface Clock {
  /** The current time, UTC. */
  now(): Date
  /** Milliseconds from a fixed but arbitrary point; never jumps. For durations. */
  monotonicMs(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` aborts (never rejects: callers check the signal). */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `action` once after `ms` milliseconds; the returned function cancels it. Does not keep the process alive. */
  after(ms: number, action: () => void): () => void
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done, { once: true })
    }),
  after: (ms, action) => {
    const timer = setTimeout(action, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/**
 * Milliseconds that never jump and are the same for all processes of a machine, unlike those of `Clock`, which each
 * process counts from its own start: for deadlines that one process gives another. They stand still while the machine
 * sleeps.
 */
export function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}
