/**
 * When a checkpoint that failed is tried again: after growing pauses, and in the end not at all, so a model that fails
 * is not asked for ever.
 */

/**
 * After the first failure, the second …; after the last, only new activity in the session or a request makes it due
 * again.
 */
const PAUSES_MS: readonly number[] = [60_000, 300_000, 900_000, 3_600_000, 3_600_000]

/** `failures` before this one. `atLeastMs`: how long the other side wants to be left alone. Null: it is given up. */
export function retryAfterMs(failures: number, atLeastMs: number | null): number | null {
  const pauseMs = PAUSES_MS[failures]
  return pauseMs === undefined ? null : Math.max(pauseMs, atLeastMs ?? 0)
}
