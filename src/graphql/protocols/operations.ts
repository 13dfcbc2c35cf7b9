/**
 * Runs operations for what speaks another protocol than GraphQL (`/mcp`, `/v1`, `/agui`), as its caller and by the
 * plugins that stand before every transport: rights, rate, limits, admission, masking, log line and figures are theirs.
 */
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { IncomingMessage } from 'node:http'
import type { Metrics } from '../../platform/metrics.ts'
import type { Caller, LogChannel } from '../operation/caller.ts'
import { maskError } from '../operation/mask-error.ts'
import type { DoorYoga } from '../yoga.ts'
import { LogQueue } from './log-queue.ts'
import { refusedBy } from './refused.ts'

/** A document, with the types of what goes in and of what comes out. */
export interface Operation<Variables, Data> {
  readonly text: string
  /** For the compiler alone. */
  readonly types?: (variables: Variables) => Data
}

export interface OperationsOptions {
  readonly yoga: DoorYoga
  readonly metrics: Metrics
  readonly request: IncomingMessage
  readonly caller: Caller
  /** The request has been counted, so that its first operation is not. */
  readonly isFirstCounted: boolean
}

/** For one request. */
export class Operations {
  readonly #options: OperationsOptions
  #isFirst = true

  constructor(options: OperationsOptions) {
    this.#options = options
  }

  get caller(): Caller {
    return this.#options.caller
  }

  /** A query or a mutation. Rejects with Refused when it has no data. */
  async run<Variables extends object, Data>(
    operation: Operation<Variables, Data>,
    variables: Variables,
  ): Promise<Data> {
    const { enveloped, args } = await this.#prepare(operation, variables, null)
    const { data, errors } = (await enveloped.execute(args)) as ExecutionResult
    if (data == null || errors !== undefined) throw refusedBy(errors)
    return data as Data
  }

  /**
   * Follows a session's log until `signal` aborts, or it ends with a Refused; what `onEvent` throws is a bug. Resolves
   * when it has begun, with what resolves at its end.
   */
  async follow<Variables extends object, Data>(
    operation: Operation<Variables, Data>,
    variables: Variables,
    { signal, onEvent }: { readonly signal: AbortSignal; readonly onEvent: (data: Data) => void },
  ): Promise<{ readonly ended: Promise<void> }> {
    const events = await this.events(operation, variables, signal)
    const untilEnd = async (): Promise<void> => {
      for await (const data of events) onEvent(data)
    }
    return { ended: untilEnd() }
  }

  /**
   * The events of a session's log, until `signal` aborts. Resolves when it has begun. It throws a Refused when the log
   * can be followed no longer, also because its reader takes too long: more than a megabyte does not wait for it.
   */
  async events<Variables extends object, Data>(
    operation: Operation<Variables, Data>,
    variables: Variables,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<Data, void, void>> {
    const channel = new LogQueue()
    const { enveloped, args } = await this.#prepare(operation, variables, () => channel)
    const results = (await enveloped.subscribe(args)) as AsyncGenerator<ExecutionResult> | ExecutionResult
    if (!(Symbol.asyncIterator in results)) throw refusedBy(results.errors)
    void this.#untilEnd(results, channel)
    return this.#take<Data>(channel, { signal, leave: () => void results.return(undefined) })
  }

  /** The hub writes to the channel; what comes out here is only the end. */
  async #untilEnd(results: AsyncGenerator<ExecutionResult>, channel: LogQueue): Promise<void> {
    try {
      for await (const { errors } of results) if (errors !== undefined) return channel.close(refusedBy(errors))
      channel.close(null)
    } catch (error) {
      channel.close(refusedBy([this.#masked(error)]))
    }
  }

  async *#take<Data>(
    channel: LogQueue,
    { signal, leave }: { readonly signal: AbortSignal; readonly leave: () => void },
  ): AsyncGenerator<Data, void, void> {
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    try {
      for (let payload = await channel.next(); payload !== null; payload = await channel.next()) {
        const { data, errors } = JSON.parse(payload) as {
          readonly data?: Data | null
          readonly errors?: GraphQLError[]
        }
        if (data == null) throw refusedBy(errors)
        yield data
      }
    } finally {
      signal.removeEventListener('abort', leave)
      leave()
    }
  }

  async #prepare<Variables extends object>(
    { text }: Operation<Variables, unknown>,
    variables: Variables,
    openLogChannel: (() => LogChannel) | null,
  ) {
    const { yoga, request: req, isFirstCounted } = this.#options
    const isCounted = isFirstCounted && this.#isFirst
    // Where the request itself was counted it may be a batch of calls: each is let in, or names where it broke off.
    const isUnderWay = !isFirstCounted && !this.#isFirst
    const caller = { ...this.caller, isCounted, isUnderWay }
    this.#isFirst = false
    const params = { query: text, variables: { ...variables }, extensions: {} }
    try {
      const enveloped = yoga.getEnveloped({ req, params, caller, openLogChannel })
      const document = enveloped.parse(text)
      const [problem] = enveloped.validate(enveloped.schema, document) as readonly GraphQLError[]
      if (problem !== undefined) throw problem
      const contextValue: unknown = await enveloped.contextFactory()
      return { enveloped, args: { schema: enveloped.schema, document, variableValues: params.variables, contextValue } }
    } catch (error) {
      throw refusedBy([this.#masked(error)])
    }
  }

  #masked(error: unknown): GraphQLError {
    return maskError(error, { logger: this.#options.caller.logger, metrics: this.#options.metrics })
  }
}
