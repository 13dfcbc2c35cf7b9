/** For what a command says once something takes longer than a second: here everything does. */
import { systemClock, type Clock } from '../../src/platform/clock.ts'

const SECOND_MS = 1000

export function impatientClock(): Clock {
  let nowMs = 0
  return {
    ...systemClock,
    monotonicMs: () => (nowMs += SECOND_MS),
    after: (ms, action) => {
      if (ms > SECOND_MS) return systemClock.after(ms, action)
      action()
      return () => undefined
    },
  }
}
