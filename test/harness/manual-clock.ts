/** A clock whose timers fire when the test says so. */
import type { Clock } from '../../src/platform/clock.ts'

export interface ManualClock extends Clock {
  /** Fires every timer that is set now. */
  fire(): void
  readonly timers: number
}

export function manualClock(): ManualClock {
  let timers: (() => void)[] = []
  return {
    now: () => new Date(0),
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    after: (_ms, action) => {
      timers.push(action)
      return () => (timers = timers.filter((timer) => timer !== action))
    },
    fire: () => {
      const due = timers
      timers = []
      for (const timer of due) timer()
    },
    get timers() {
      return timers.length
    },
  }
}
