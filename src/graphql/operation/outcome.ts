/** How operations end, recorded once for each, whatever carried them. */
import { getOperationAST, GraphQLError, type DocumentNode } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import type { Clock } from '../../platform/clock.ts'
import type { Caller, DoorPlugin, OperationContext } from './caller.ts'

export interface Outcome {
  readonly type: 'query' | 'mutation' | 'subscription' | 'unknown'
  /** The operation's. */
  readonly name: string | null
  /** `refused`: it was not begun. */
  readonly outcome: 'ok' | 'errors' | 'refused'
  readonly errors: readonly GraphQLError[]
  /** Of a query or mutation. */
  readonly durationMs: number | null
}

type Report = (outcome: Outcome, caller: Caller) => void

/** Calls `report` when an operation was refused or has ended, and when a subscription has begun. */
export function onOutcome(clock: Pick<Clock, 'monotonicMs'>, report: Report): DoorPlugin {
  const reportRefusal = ({ caller, params }: OperationContext, errors: readonly GraphQLError[]): void => {
    const name = params.operationName ?? null
    if (caller !== undefined) report({ type: 'unknown', name, outcome: 'refused', errors, durationMs: null }, caller)
  }
  return {
    instrumentation: {
      parse({ context }, parse) {
        try {
          parse()
        } catch (error) {
          reportRefusal(context, error instanceof GraphQLError ? [error] : [])
          throw error
        }
      },
    },
    onValidate({ context }) {
      return ({ result }) => {
        const errors = result.filter((error) => error instanceof GraphQLError)
        if (errors.length > 0) reportRefusal(context, errors)
      }
    },
    onExecute({ args, context: { caller } }) {
      const startedMs = clock.monotonicMs()
      return {
        onExecuteDone({ result }) {
          if (isAsyncIterable(result)) return
          const durationMs = clock.monotonicMs() - startedMs
          report({ ...operationOf(args), ...endOf(result.errors), durationMs }, caller)
        },
      }
    },
    onSubscribe({ args, context: { caller } }) {
      return {
        onSubscribeResult({ result }) {
          const errors = isAsyncIterable(result) ? undefined : result.errors
          report({ ...operationOf(args), ...endOf(errors), durationMs: null }, caller)
        },
      }
    },
  }
}

function endOf(errors: readonly GraphQLError[] = []): Pick<Outcome, 'outcome' | 'errors'> {
  return { outcome: errors.length > 0 ? 'errors' : 'ok', errors }
}

function operationOf(args: {
  document: DocumentNode
  operationName?: string | null | undefined
}): Pick<Outcome, 'type' | 'name'> {
  const operation = getOperationAST(args.document, args.operationName)
  return { type: operation?.operation ?? 'unknown', name: args.operationName ?? operation?.name?.value ?? null }
}
