/** A clock that moves when the test says so, and then fires what has become due: for limits that measure silence. */
import type { Clock } from '../../src/platform/clock.ts'

export interface HandClock extends Pick<Clock, 'after'> {
  /** So many milliseconds go by. */
  pass(ms: number): void
}

/** `onSet` is called with the length of each timer that is set. */
export function handClock(onSet: (ms: number) => void = () => {}): HandClock {
  let nowMs = 0
  const timers = new Map<symbol, { readonly dueMs: number; readonly action: () => void }>()
  return {
    after: (ms, action) => {
      const timer = Symbol('timer')
      timers.set(timer, { dueMs: nowMs + ms, action })
      onSet(ms)
      return () => void timers.delete(timer)
    },
    pass: (ms) => {
      nowMs += ms
      for (const [timer, { dueMs, action }] of timers) {
        if (dueMs > nowMs) continue
        timers.delete(timer)
        action()
      }
    },
  }
}
