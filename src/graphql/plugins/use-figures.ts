/** Counts operations and the time they take, for /metrics. */
import type { Clock } from '../../platform/clock.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { onOutcome } from '../operation/outcome.ts'

export function useFigures(clock: Clock, metrics: Metrics): DoorPlugin {
  return onOutcome(clock, ({ type, outcome, durationMs }, { transport }) => {
    metrics.operations.inc({ type, transport, outcome })
    if (durationMs !== null) metrics.operationSeconds.observe({ type }, durationMs / 1000)
  })
}
