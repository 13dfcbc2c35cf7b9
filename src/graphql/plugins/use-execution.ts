/** Runs queries and mutations with graphql-js, each within a budget for its answer (answer-budget.ts). */
import { execute } from 'graphql'
import type { LiveConfig } from '../../config/config.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { withinBudget } from '../operation/within-budget.ts'

export function useExecution(config: LiveConfig): DoorPlugin {
  return {
    onExecute({ setExecuteFn }) {
      const { introspection, maxResponseBytes } = config.current().settings
      setExecuteFn((args) =>
        withinBudget(maxResponseBytes, (answer, abortSignal) => {
          args.contextValue.answer = answer
          return execute({ ...args, hideSuggestions: !introspection, abortSignal })
        }),
      )
    },
  }
}
