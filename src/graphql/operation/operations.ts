/**
 * From parameters to a result, the same for HTTP, server-sent events and WebSocket: rate, limits, validation,
 * execution, masking, log line, figures. The transports only carry.
 */
import {
  createSourceEventStream,
  execute,
  executeSubscriptionEvent,
  GraphQLError,
  mapSourceToResponseEvent,
  validateSubscriptionArgs,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql'
import type { AccessDenials } from '../../audit/access-denials.ts'
import type { LiveConfig } from '../../config/config.ts'
import type { Viewer } from '../../core/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Admission, Work } from './admission.ts'
import { AnswerBudget, fitResult } from './answer-budget.ts'
import { Documents, type OperationParams, type ReadyOperation } from './documents.ts'
import type { Hold, Hub } from '../live/hub.ts'
import { readLogOperation, type LogOperation } from './log-operation.ts'
import { maskError, maskResult } from './mask-error.ts'
import { MaskedResults } from './masked-results.ts'
import { isTooDeep, LIMITS } from './operation-limits.ts'
import { overloaded } from '../http/overloaded.ts'
import type { RateLimit } from './rate-limit.ts'
import type { CreateContext } from '../request-context.ts'
import type { SessionNotifier } from '../live/session-notifier.ts'
import type { Subscriber } from '../live/subscriber.ts'

export type Transport = 'http' | 'sse' | 'websocket'

/** Who sent an operation, and how. */
export interface Caller {
  readonly viewer: Viewer
  readonly requestId: string
  readonly logger: Logger
  readonly transport: Transport
}

/** An operation that may run. */
export interface Admitted {
  readonly kind: 'admitted'
  readonly ready: ReadyOperation
  readonly params: OperationParams
  readonly type: 'query' | 'mutation' | 'subscription'
  /** Set when it subscribes to a session's log: then it goes through the hub. */
  readonly log: LogOperation | null
}

export interface Refused {
  readonly kind: 'refused'
  readonly errors: readonly GraphQLError[]
}

export interface OperationsOptions {
  readonly schema: GraphQLSchema
  readonly config: LiveConfig
  readonly createContext: CreateContext
  readonly sessionNotifier: SessionNotifier
  readonly hub: Hub
  readonly denials: Pick<AccessDenials, 'absent'>
  readonly rateLimit: RateLimit
  readonly admission: Admission
  readonly clock: Clock
  readonly metrics: Metrics
}

export class Operations {
  readonly #options: OperationsOptions
  readonly #documents: Documents

  constructor(options: OperationsOptions) {
    this.#options = options
    this.#documents = new Documents(options.schema, options.config.current().settings.introspection)
  }

  /**
   * Whether a new operation would be refused, whatever it is, so that it need not be read; each `true` counts as a
   * refusal in /metrics.
   */
  turnsAway(transport: Transport): boolean {
    const { admission, metrics } = this.#options
    if (admission.isFull) metrics.operations.inc({ type: 'unknown', transport, outcome: 'refused' })
    return admission.isFull
  }

  /** Whether the operation may run. Every call counts against the token's rate. */
  admit(params: OperationParams, caller: Caller): Admitted | Refused {
    const admitted = this.#check(params, caller.viewer)
    if (admitted.kind === 'refused') {
      const errors = admitted.errors.map((error) => maskError(error, this.#maskOptions(caller)))
      this.#record({ caller, type: 'unknown', outcome: 'refused', name: params.operationName, errors })
      return { kind: 'refused', errors }
    }
    return admitted
  }

  /** Runs a query or mutation. Never rejects. */
  async execute(admitted: Admitted, caller: Caller): Promise<ExecutionResult> {
    const { clock, metrics } = this.#options
    const startedMs = clock.monotonicMs()
    const args = this.#argsFor(admitted, caller)
    const run = (): Promise<ExecutionResult> =>
      this.#within((answer, abortSignal) =>
        execute({ ...args, contextValue: { ...args.contextValue, answer }, abortSignal }),
      )
    const executed = (await this.#options.admission.through(workOf(admitted), run)) ?? { errors: [overloaded()] }
    const result = this.#presentable(executed, caller)
    const durationMs = clock.monotonicMs() - startedMs
    metrics.operationSeconds.observe({ type: admitted.type }, durationMs / 1000)
    this.#recordResult(admitted, caller, { errors: result.errors, durationMs })
    return result
  }

  /** Starts a subscription that is no log view. Never rejects; what it yields is masked. */
  async subscribe(
    admitted: Admitted,
    caller: Caller,
  ): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult> {
    const start = () => this.#start(admitted, caller)
    const source = (await this.#options.admission.through(workOf(admitted), start)) ?? { errors: [overloaded()] }
    if (!(Symbol.asyncIterator in source)) {
      const result = maskResult(source, this.#maskOptions(caller))
      this.#recordResult(admitted, caller, { errors: result.errors })
      return result
    }
    this.#recordResult(admitted, caller, {})
    const { subscribers } = this.#options.metrics
    subscribers.inc({ kind: 'other' })
    return new MaskedResults({
      source,
      mask: (result) => this.#presentable(result, caller),
      maskError: (error) => maskError(error, this.#maskOptions(caller)),
      onEnd: () => subscribers.dec({ kind: 'other' }),
    })
  }

  /** Starts a subscription to a session's log. Never rejects. */
  async follow(
    log: LogOperation,
    admitted: Admitted,
    from: { caller: Caller; subscriber: Subscriber },
  ): Promise<Hold | Refused> {
    const { caller, subscriber } = from
    const { hub, metrics } = this.#options
    const open = () => hub.open({ operation: log, viewer: caller.viewer, subscriber })
    const opened = await this.#options.admission
      .through(workOf(admitted), open)
      .then((hold) => hold ?? overloaded())
      .catch((error: unknown) => maskError(error, this.#maskOptions(caller)))
    if (opened instanceof GraphQLError) {
      if (opened.extensions['code'] === 'NOT_FOUND')
        this.#options.denials.absent(caller.viewer, `Subscription.${log.field}`, log.sessionId)
      this.#recordResult(admitted, caller, { errors: [opened] })
      return { kind: 'refused', errors: [opened] }
    }
    this.#recordResult(admitted, caller, {})
    metrics.subscribers.inc({ kind: 'log' })
    let isOpen = true
    return {
      close: () => {
        if (isOpen) metrics.subscribers.dec({ kind: 'log' })
        isOpen = false
        opened.close()
      },
    }
  }

  #check(params: OperationParams, viewer: Viewer): Admitted | Refused {
    const waitMs = this.#options.rateLimit.take(viewer.tokenName)
    if (waitMs > 0) return { kind: 'refused', errors: [rateLimited(waitMs)] }
    if (isTooDeep(params.variables)) return { kind: 'refused', errors: [tooDeep()] }
    this.#documents.introspection = this.#options.config.current().settings.introspection
    const ready = this.#documents.prepare(params)
    if (ready.kind === 'refused') return ready
    const type = ready.operation.operation
    const log = type === 'subscription' ? readLogOperation(this.#options.schema, ready, params) : null
    if (log?.kind === 'refused') return log
    return { kind: 'admitted', ready, params, type, log }
  }

  /** Each event is an execution of its own: with a context, and so loaders, and a budget of its own. */
  async #start(
    admitted: Admitted,
    caller: Caller,
  ): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult> {
    const { contextValue, ...args } = this.#argsFor(admitted, caller)
    const valid = validateSubscriptionArgs({ ...args, contextValue })
    if (!('schema' in valid)) return { errors: valid }
    const events = await createSourceEventStream(valid)
    if (!(Symbol.asyncIterator in events)) return events
    return mapSourceToResponseEvent(valid, events, (event) =>
      this.#within((answer, externalAbortSignal) =>
        executeSubscriptionEvent({ ...event, contextValue: { ...contextValue, answer }, externalAbortSignal }),
      ),
    )
  }

  /** The result of an execution, which is given up when its answer gets too large. */
  async #within(
    run: (answer: AnswerBudget, signal: AbortSignal) => ExecutionResult | Promise<ExecutionResult>,
  ): Promise<ExecutionResult> {
    const answer = new AnswerBudget(this.#maxBytes)
    try {
      return await run(answer, answer.signal)
    } catch (error) {
      if (!answer.isExceeded) throw error
      return answer.refusal
    }
  }

  /** What the client gets of a result: measured last, as it is going to be serialised. */
  #presentable(result: ExecutionResult, caller: Caller): ExecutionResult {
    return fitResult(maskResult(result, this.#maskOptions(caller)), this.#maxBytes)
  }

  get #maxBytes(): number {
    return this.#options.config.current().settings.maxResponseBytes
  }

  #argsFor(
    { ready, params }: Admitted,
    { viewer, requestId, logger }: Caller,
  ): ExecutionArgs & { readonly contextValue: object } {
    const { schema, createContext, sessionNotifier, config } = this.#options
    const contextValue = createContext({
      viewer,
      requestId,
      logger,
      grantedSessionId: null,
      answer: null,
      sessionNotifier,
    })
    const { operationName, variables } = params
    const hideSuggestions = !config.current().settings.introspection
    return { schema, document: ready.document, operationName, variableValues: variables, contextValue, hideSuggestions }
  }

  #maskOptions({ logger }: Caller): { logger: Logger; metrics: Metrics } {
    return { logger, metrics: this.#options.metrics }
  }

  #recordResult(
    { params, ready, type }: Admitted,
    caller: Caller,
    { errors = [], durationMs }: { errors?: readonly GraphQLError[] | undefined; durationMs?: number },
  ): void {
    const name = params.operationName ?? ready.operation.name?.value ?? null
    this.#record({ caller, type, name, outcome: errors.length > 0 ? 'errors' : 'ok', errors, durationMs })
  }

  #record(done: {
    readonly caller: Caller
    readonly type: Admitted['type'] | 'unknown'
    readonly name: string | null
    readonly outcome: 'ok' | 'errors' | 'refused'
    readonly errors: readonly GraphQLError[]
    readonly durationMs?: number | undefined
  }): void {
    const { caller, type, name, outcome, errors, durationMs } = done
    this.#options.metrics.operations.inc({ type, transport: caller.transport, outcome })
    const codes = errors.map((error) => error.extensions['code'])
    const figures = {
      ...(codes.length > 0 && { codes }),
      ...(durationMs !== undefined && { ms: Math.round(durationMs) }),
    }
    caller.logger.info({ tokenName: caller.viewer.tokenName, operation: name, type, outcome, ...figures }, 'operation')
  }
}

function rateLimited(retryAfterMs: number): GraphQLError {
  const message = `Too many operations with this token; try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  return new GraphQLError(message, { extensions: { code: 'RATE_LIMITED', retryAfterMs } })
}

/** Mutations bring something in: messages, decisions, what is to be cancelled. */
function workOf({ type, params }: Admitted): Work {
  return { kind: type === 'mutation' ? 'intake' : 'read', bytes: params.query.length + charactersIn(params.variables) }
}

/** About as many bytes as the values take in memory. They are no deeper than LIMITS allows. */
function charactersIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  return Object.entries(value).reduce((sum, [key, one]) => sum + key.length + charactersIn(one), 0)
}

function tooDeep(): GraphQLError {
  const message = `The variables are nested deeper than ${LIMITS.jsonDepth} levels.`
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}
