/**
 * What becomes of a schedule when a run of it has ended. One that failed is tried again after growing pauses; when
 * there are none left, a cron schedule goes on with its next regular time (no sooner than after the longest pause), and
 * a single run is over. Regular times that fall into a pause are not made up for. A run that was cancelled was not
 * wanted, so it is not tried again. After a run that a user started, nothing is planned: the user sees how it ends.
 */
export const RETRY_PAUSES_MS: readonly number[] = [30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000]

export interface EndedRun {
  readonly outcome: 'DONE' | 'FAILED' | 'CANCELLED'
  readonly manual: boolean
  /** Why, unless it is DONE. */
  readonly failure: string | null
  readonly at: Date
}

/** What a run's end may change. */
export interface ScheduleState {
  readonly failures: number
  readonly lastError: string | null
  readonly nextRunAt: Date | null
}

export function afterRun(
  schedule: { readonly failures: number; readonly nextRunAt: Date | null; readonly enabled: boolean },
  { outcome, manual, failure, at }: EndedRun,
  pausesMs: readonly number[] = RETRY_PAUSES_MS,
): ScheduleState {
  const { failures, nextRunAt, enabled } = schedule
  if (outcome === 'DONE') return { failures: 0, lastError: null, nextRunAt }
  if (outcome === 'CANCELLED' || manual) return { failures, lastError: failure, nextRunAt }
  const failed = { failures: failures + 1, lastError: failure }
  const pauseMs = pausesMs[failures]
  if (!enabled) return { ...failed, nextRunAt: null }
  if (pauseMs !== undefined) return { ...failed, nextRunAt: new Date(at.getTime() + pauseMs) }
  const soonest = at.getTime() + (pausesMs.at(-1) ?? 0)
  return { ...failed, nextRunAt: nextRunAt === null ? null : new Date(Math.max(nextRunAt.getTime(), soonest)) }
}
