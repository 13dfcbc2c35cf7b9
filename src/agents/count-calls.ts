/** Counts for /metrics what calls of models have cost. To be called once their records are committed. */
import type { ModelCallRecord } from '../core/model-call.ts'
import type { Metrics } from '../platform/metrics.ts'

/** Sessions may name models of their own: beyond so many they are counted as one. */
const MAX_MODELS = 100
const OTHERS = { provider: 'others', model: 'others' }

const named = new Set<string>()

export function countCalls(
  metrics: Pick<Metrics, 'modelCalls' | 'modelTokens' | 'modelCost' | 'modelSeconds' | 'modelFailures'>,
  calls: readonly ModelCallRecord[],
): void {
  for (const call of calls) {
    const { role, status, inputTokens, outputTokens, cachedTokens, cost, durationMs } = call
    metrics.modelCalls.inc({ role, status })
    metrics.modelTokens.inc({ role, kind: 'input' }, inputTokens)
    metrics.modelTokens.inc({ role, kind: 'output' }, outputTokens)
    metrics.modelTokens.inc({ role, kind: 'cached' }, cachedTokens)
    const model = modelOf(call)
    if (cost !== null) metrics.modelCost.inc(model, cost)
    if (status === 'OK') metrics.modelSeconds.observe(model, durationMs / 1000)
    else metrics.modelFailures.inc({ ...model, code: status })
  }
}

function modelOf({ provider, model }: ModelCallRecord): { readonly provider: string; readonly model: string } {
  const key = JSON.stringify([provider, model])
  if (!named.has(key) && named.size >= MAX_MODELS) return OTHERS
  named.add(key)
  return { provider, model }
}
