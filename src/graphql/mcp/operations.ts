/**
 * Runs operations for the tools of `POST /mcp`, by the plugins that stand before every transport: rate, limits,
 * admission, masking, log line and figures are theirs.
 */
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { IncomingMessage } from 'node:http'
import type { Metrics } from '../../platform/metrics.ts'
import type { Batch } from '../live/batch.ts'
import type { Hold } from '../live/hub.ts'
import { IdleResults } from '../live/idle-results.ts'
import type { Subscriber } from '../live/subscriber.ts'
import type { Caller, LogChannel } from '../operation/caller.ts'
import { maskError } from '../operation/mask-error.ts'
import type { DoorYoga } from '../yoga.ts'
import type { Operation } from './documents.ts'

/** Why the caller does not get it, as a sentence for them. */
export class Refused extends Error {}

export interface OperationsOptions {
  readonly yoga: DoorYoga
  readonly metrics: Metrics
  readonly request: IncomingMessage
  readonly caller: Caller
}

/** For one request. */
export class Operations {
  readonly #options: OperationsOptions

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
    if (data == null || errors !== undefined) throw new Refused(sentenceOf(errors))
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
    const channel = new Channel((payload) => onEvent((JSON.parse(payload) as { data: Data }).data))
    const { enveloped, args } = await this.#prepare(operation, variables, () => channel)
    const events = (await enveloped.subscribe(args)) as AsyncGenerator<ExecutionResult> | ExecutionResult
    if (!(Symbol.asyncIterator in events)) throw new Refused(sentenceOf(events.errors))
    const leave = (): void => void events.return(undefined)
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    const untilEnd = async (): Promise<void> => {
      try {
        for await (const { errors } of events) if (errors !== undefined) throw new Refused(sentenceOf(errors))
      } catch (error) {
        throw error instanceof Refused ? error : new Refused(this.#masked(error).message)
      } finally {
        signal.removeEventListener('abort', leave)
      }
    }
    return { ended: untilEnd() }
  }

  async #prepare<Variables extends object>(
    { text }: Operation<Variables, unknown>,
    variables: Variables,
    openLogChannel: (() => LogChannel) | null,
  ) {
    const { yoga, request: req, caller } = this.#options
    const params = { query: text, variables: { ...variables }, extensions: {} }
    try {
      const enveloped = yoga.getEnveloped({ req, params, caller, openLogChannel })
      const document = enveloped.parse(text)
      const [problem] = enveloped.validate(enveloped.schema, document) as readonly GraphQLError[]
      if (problem !== undefined) throw problem
      const contextValue: unknown = await enveloped.contextFactory()
      return { enveloped, args: { schema: enveloped.schema, document, variableValues: params.variables, contextValue } }
    } catch (error) {
      throw new Refused(this.#masked(error).message)
    }
  }

  #masked(error: unknown): GraphQLError {
    return maskError(error, { logger: this.#options.caller.logger, metrics: this.#options.metrics })
  }
}

/** Takes the events of a log from the hub. They are few, and nothing waits for a network here. */
class Channel implements LogChannel, Subscriber {
  readonly lastSeq = null
  readonly bufferedBytes = 0
  readonly #take: (payload: string) => void
  #results: IdleResults | null = null

  constructor(take: (payload: string) => void) {
    this.#take = take
  }

  get subscriber(): Subscriber {
    return this
  }

  carry(hold: Hold): IdleResults {
    this.#results = new IdleResults(() => hold.close())
    return this.#results
  }

  send({ payloads }: Batch): void {
    for (const payload of payloads) this.#take(payload.toString())
  }

  drained(): Promise<void> {
    return Promise.resolve()
  }

  cut(): void {
    void this.#results?.return()
  }

  fail(error: GraphQLError): void {
    this.#results?.fail(error)
  }
}

function sentenceOf(errors: readonly GraphQLError[] | undefined): string {
  return errors?.[0]?.message ?? 'There was no answer.'
}
