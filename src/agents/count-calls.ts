/** Counts for /metrics what calls of models have cost. To be called once their records are committed. */
import type { ModelCallRecord } from '../core/model-call.ts'
import type { Metrics } from '../platform/metrics.ts'

export function countCalls(
  metrics: Pick<Metrics, 'modelCalls' | 'modelTokens'>,
  calls: readonly ModelCallRecord[],
): void {
  for (const { role, status, inputTokens, outputTokens, cachedTokens } of calls) {
    metrics.modelCalls.inc({ role, status })
    metrics.modelTokens.inc({ role, kind: 'input' }, inputTokens)
    metrics.modelTokens.inc({ role, kind: 'output' }, outputTokens)
    metrics.modelTokens.inc({ role, kind: 'cached' }, cachedTokens)
  }
}
