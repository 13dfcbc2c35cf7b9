/**
 * When plugins are given what no turn waits for: all that came since the last beat goes at the same time, of whatever
 * turn, so that each plugin's thread is woken once for it. To wake a thread costs more than most hooks.
 */
import type { Clock } from '../../platform/clock.ts'

const BEAT_MS = 250

/** Calls `action` once, at most a beat later. The returned function cancels it. */
export function atNextBeat(clock: Pick<Clock, 'after' | 'monotonicMs'>, action: () => void): () => void {
  return clock.after(BEAT_MS - (clock.monotonicMs() % BEAT_MS), action)
}
