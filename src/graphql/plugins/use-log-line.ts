/** What is noted of each operation: one line in the log, and figures for /metrics. */
import type { Clock } from '../../platform/clock.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { shownName } from '../operation/operation-limits.ts'
import { onOutcome } from '../operation/outcome.ts'
import type { Metrics } from '../../platform/metrics.ts'

export function useLogLine(clock: Clock): DoorPlugin {
  return onOutcome(clock, ({ type, name, outcome, errors, durationMs }, { viewer, logger }) => {
    const codes = errors.map((error) => error.extensions['code'])
    const figures = {
      ...(codes.length > 0 && { codes }),
      ...(durationMs !== null && { ms: Math.round(durationMs) }),
    }
    const operation = name === null ? null : shownName(name)
    // Of those that come too often the rate limit logs one line a minute.
    const level = codes.includes('RATE_LIMITED') ? 'debug' : 'info'
    logger[level]({ tokenName: viewer.tokenName, operation, type, outcome, ...figures }, 'operation')
  })
}

/**
 * Counts operations and the time they take, for /metrics.
 */
export function useFigures(clock: Clock, metrics: Metrics): DoorPlugin {
  return onOutcome(clock, ({ type, outcome, durationMs }, { transport }) => {
    metrics.operations.inc({ type, transport, outcome })
    if (durationMs !== null) metrics.operationSeconds.observe({ type }, durationMs / 1000)
  })
}
