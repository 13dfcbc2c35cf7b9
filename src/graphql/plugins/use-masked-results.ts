/** What the client gets of a result: its errors masked (mask-error.ts), and no more of it than an answer may have. */
import { isAsyncIterable } from 'graphql-yoga'
import type { LiveConfig } from '../../config/config.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { fitResult } from '../operation/answer-budget.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { maskResult } from '../operation/mask-error.ts'

export function useMaskedResults(config: LiveConfig, metrics: Metrics): DoorPlugin {
  return {
    onExecute({ context: { caller } }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (isAsyncIterable(result)) return
          const masked = maskResult(result, { logger: caller.logger, metrics })
          setResult(fitResult(masked, config.current().settings.maxResponseBytes))
        },
      }
    },
  }
}
