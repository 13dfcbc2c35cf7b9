/** Executes one event of a log for its subscribers, at a price that thousands a second can pay. */
import { executeSubscriptionEvent, type ExecutionResult, type ValidatedSubscriptionArgs } from 'graphql'

/**
 * graphql-js aborts a signal of its own at the end of each execution, and most of an execution went into the stack of
 * that exception, which no code reads: none is taken. Where a resolver has thrown the stack is wanted, so the event is
 * executed once more; resolvers of events change nothing.
 */
export function executeEvent(args: ValidatedSubscriptionArgs): ExecutionResult | Promise<ExecutionResult> {
  const result = withoutStacks(args)
  return result instanceof Promise || result.errors === undefined ? result : executeSubscriptionEvent(args)
}

function withoutStacks(args: ValidatedSubscriptionArgs): ExecutionResult | Promise<ExecutionResult> {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return executeSubscriptionEvent(args)
  } finally {
    Error.stackTraceLimit = limit
  }
}
