/** A call to a model as a turn accounts for it. */
import type { ModelCallRecord } from '../../src/core/model-call.ts'

export function modelCall(at: Date): ModelCallRecord {
  return {
    role: 'planner',
    provider: 'p',
    model: 'm',
    status: 'OK',
    inputTokens: 7,
    outputTokens: 3,
    cachedTokens: 1,
    cost: 0.5,
    durationMs: 4,
    at,
    texts: null,
  }
}
