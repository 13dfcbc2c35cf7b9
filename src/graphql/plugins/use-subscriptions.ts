/**
 * Subscriptions. Those to a session's log are the hub's: it writes the same bytes to all who are shown the same, and
 * what is returned here yields nothing. All others run with graphql-js, each event within a budget of its own.
 */
import {
  createSourceEventStream,
  executeSubscriptionEvent,
  getOperationAST,
  GraphQLError,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql'
import type { AccessDenials } from '../../audit/access-denials.ts'
import type { LiveConfig } from '../../config/config.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { must } from '../../platform/must.ts'
import { badRequest } from '../http/bad-request.ts'
import { EVENT_STREAM } from '../http/accepted.ts'
import type { Hub } from '../live/hub.ts'
import { fitResult } from '../operation/answer-budget.ts'
import type { Caller, DoorPlugin, LogChannel, OperationContext } from '../operation/caller.ts'
import { readLogOperation, type LogOperation, type ReadLogOperation } from '../operation/log-operation.ts'
import { maskError, maskResult } from '../operation/mask-error.ts'
import { MaskedResults } from '../operation/masked-results.ts'
import { EXECUTION_OPTIONS } from '../operation/operation-limits.ts'
import { Holdings } from '../operation/holdings.ts'
import { takeStanding } from '../operation/standing-cost.ts'
import { withinBudget } from '../operation/within-budget.ts'

export interface SubscriptionsOptions {
  readonly schema: GraphQLSchema
  readonly hub: Hub
  readonly denials: Pick<AccessDenials, 'absent'>
  readonly config: LiveConfig
  readonly metrics: Metrics
}

type Results = AsyncGenerator<ExecutionResult, void, void> | ExecutionResult

export function useSubscriptions(options: SubscriptionsOptions): DoorPlugin {
  const subscriptions = new Subscriptions(options)
  return {
    onSubscribe({ context, setSubscribeFn }) {
      setSubscribeFn((args) => subscriptions.begin(args, context))
    },
  }
}

/** A subscription that counts as one of its user's until it is released. */
interface Held {
  readonly caller: Caller
  readonly release: () => void
}

class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #standing = new Holdings()

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  /** Never rejects; what it yields is masked. */
  async begin(args: ExecutionArgs, { caller, openLogChannel, cost }: OperationContext): Promise<Results> {
    if (openLogChannel === null) return { errors: [noStream()] }
    const log = readLog(this.#options.schema, args)
    if (log?.kind === 'refused') return this.#masked({ errors: log.errors }, caller)
    const release = takeStanding(this.#standing, caller.viewer, must(cost, 'what is executed was measured'))
    if (release instanceof GraphQLError) return { errors: [release] }
    const held = { caller, release }
    return log === null ? this.#follow(args, held) : this.#followLog(log, held, openLogChannel())
  }

  async #followLog(read: LogOperation, { caller, release }: Held, channel: LogChannel): Promise<Results> {
    const { hub, metrics, denials } = this.#options
    const operation = channel.lastSeq === null ? read : { ...read, after: channel.lastSeq }
    const opened = await hub
      .open({ operation, viewer: caller.viewer, subscriber: channel.subscriber })
      .catch((error: unknown) => maskError(error, { logger: caller.logger, metrics }))
    if (opened instanceof GraphQLError) {
      release()
      if (opened.extensions['code'] === 'NOT_FOUND')
        denials.absent(caller.viewer, `Subscription.${read.field}`, read.sessionId)
      return { errors: [opened] }
    }
    metrics.subscribers.inc({ kind: 'log' })
    let isOpen = true
    return channel.carry({
      close: () => {
        if (isOpen) metrics.subscribers.dec({ kind: 'log' })
        isOpen = false
        release()
        opened.close()
      },
    })
  }

  async #follow(args: ExecutionArgs, { caller, release }: Held): Promise<Results> {
    const { subscribers } = this.#options.metrics
    const source = await this.#start(args)
    if (!(Symbol.asyncIterator in source)) {
      release()
      return this.#masked(source, caller)
    }
    subscribers.inc({ kind: 'other' })
    return new MaskedResults({
      source,
      mask: (result) => this.#masked(result, caller),
      maskError: (error) => maskError(error, { logger: caller.logger, metrics: this.#options.metrics }),
      onEnd: () => {
        release()
        subscribers.dec({ kind: 'other' })
      },
    })
  }

  /** Each event is an execution of its own: with a context, and so loaders, and a budget of its own. */
  async #start(args: ExecutionArgs): Promise<Results> {
    const { introspection } = this.#options.config.current().settings
    const valid = validateSubscriptionArgs({ ...args, options: EXECUTION_OPTIONS, hideSuggestions: !introspection })
    if (!('schema' in valid)) return { errors: valid }
    const events = await createSourceEventStream(valid)
    if (!(Symbol.asyncIterator in events)) return events
    const context = args.contextValue as object
    return mapSourceToResponseEvent(valid, events, (event) =>
      withinBudget(this.#maxBytes, (answer, externalAbortSignal) =>
        executeSubscriptionEvent({ ...event, contextValue: { ...context, answer }, externalAbortSignal }),
      ),
    )
  }

  #masked(result: ExecutionResult, { logger }: Caller): ExecutionResult {
    return fitResult(maskResult(result, { logger, metrics: this.#options.metrics }), this.#maxBytes)
  }

  get #maxBytes(): number {
    return this.#options.config.current().settings.maxResponseBytes
  }
}

function readLog(schema: GraphQLSchema, args: ExecutionArgs): ReadLogOperation | null {
  const { document, operationName = null, variableValues } = args
  const operation = must(getOperationAST(document, operationName), 'the operation was measured')
  return readLogOperation(schema, { document, operation, operationName, variables: variableValues ?? {} })
}

function noStream(): GraphQLError {
  return badRequest(`Subscriptions need "accept: ${EVENT_STREAM}", or a WebSocket.`, 406)
}
