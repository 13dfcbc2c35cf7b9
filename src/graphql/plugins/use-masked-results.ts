/** What the client gets of a result: its errors masked (mask-error.ts), and no more of it than an answer may have. */
import { isAsyncIterable } from 'graphql-yoga'
import type { LiveConfig } from '../../config/config.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { fitResult, writeResult } from '../operation/answer-budget.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { maskResult } from '../operation/mask-error.ts'

interface MaskedResultsOptions {
  readonly config: LiveConfig
  readonly metrics: Metrics
  /** Users' own plugins come after this one and may change the result: it is made JSON behind them. */
  readonly plugins: readonly object[]
}

export function useMaskedResults({ config, metrics, plugins }: MaskedResultsOptions): DoorPlugin {
  const fit = plugins.length === 0 ? writeResult : fitResult
  return {
    onExecute({ context: { caller } }) {
      return {
        onExecuteDone({ result, setResult }) {
          if (isAsyncIterable(result)) return
          const masked = maskResult(result, { logger: caller.logger, metrics })
          setResult(fit(masked, config.current().settings.maxResponseBytes))
        },
      }
    },
  }
}
