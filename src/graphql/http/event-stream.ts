/**
 * A result, or a subscription, as server-sent events: GraphQL over SSE, "distinct connections" mode
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). `event: next` carries a result, `event: complete`
 * ends the operation. A stream that ends without it was cut off: subscribe again with `after`.
 */
import type { ServerResponse } from 'node:http'
import { GraphQLError, type ExecutionResult } from 'graphql'
import type { Batch } from '../live/batch.ts'
import type { Connection, EndReason } from '../socket/connections.ts'
import { EVENT_STREAM } from './media-type.ts'
import type { Caller } from '../operation/operations.ts'
import { MAX_BUFFERED_BYTES, type Subscriber } from '../live/subscriber.ts'

/** A client that is cut gets this long to read what is under way. */
const LINGER_MS = 5000

export interface EventStreamOptions {
  readonly response: ServerResponse
  readonly token: string
  readonly caller: Caller
  /** The client did not keep up. */
  readonly onCut: () => void
}

export class EventStream implements Connection, Subscriber {
  readonly transport = 'sse'
  readonly identity: Connection['identity']
  /** Resolves when the client has closed the response, or this process has ended it. */
  readonly closed: Promise<void>
  readonly #options: EventStreamOptions

  constructor(options: EventStreamOptions) {
    const { response, token, caller } = options
    this.#options = options
    this.identity = { token, viewer: caller.viewer }
    this.closed = new Promise((resolve) => {
      response.once('close', resolve)
      response.once('finish', resolve)
    })
    // "no-transform" and "x-accel-buffering": proxies hold streams back otherwise.
    response.writeHead(200, {
      'content-type': `${EVENT_STREAM}; charset=utf-8`,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    response.write(':\n\n')
  }

  get bufferedBytes(): number {
    return this.#options.response.writableLength
  }

  send(batch: Batch): void {
    if (this.#isOpen) batch.writeEvents(this.#options.response)
  }

  /** Sends one result. Resolves when the client can take the next. */
  async next(result: ExecutionResult): Promise<void> {
    if (!this.#isOpen) return
    this.#options.response.write(`event: next\ndata: ${JSON.stringify(result)}\n\n`)
    if (this.bufferedBytes > MAX_BUFFERED_BYTES) await this.drained()
  }

  complete(): void {
    if (this.#isOpen) this.#options.response.end('event: complete\ndata:\n\n')
  }

  drained(): Promise<void> {
    const { response } = this.#options
    if (!this.#isOpen || !response.writableNeedDrain) return Promise.resolve()
    return Promise.race([new Promise<void>((resolve) => void response.once('drain', resolve)), this.closed])
  }

  cut(): void {
    this.#options.onCut()
    const message = 'The connection was too slow to keep up. Subscribe again with the last seq you received as "after".'
    this.fail(new GraphQLError(message, { extensions: { code: 'SLOW_CONSUMER' } }))
    this.#options.response.setTimeout(LINGER_MS, () => this.#options.response.destroy())
  }

  fail(error: GraphQLError): void {
    if (!this.#isOpen) return
    this.#options.response.write(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`)
    this.complete()
  }

  beat(): void {
    if (this.#isOpen) this.#options.response.write(':\n\n')
  }

  end(reason: EndReason): void {
    if (reason === 'TOKEN_REMOVED') this.fail(removedToken())
    else if (reason === 'RIGHTS_CHANGED') this.fail(changedRights())
    // Going away: an end without `complete` makes clients come back.
    else if (this.#isOpen) this.#options.response.end()
  }

  get #isOpen(): boolean {
    return !this.#options.response.writableEnded && !this.#options.response.destroyed
  }
}

function removedToken(): GraphQLError {
  return new GraphQLError('The token is not valid any more.', { extensions: { code: 'UNAUTHENTICATED' } })
}

function changedRights(): GraphQLError {
  const message = 'The token\'s rights have changed. Subscribe again with the last seq you received as "after".'
  return new GraphQLError(message, { extensions: { code: 'RIGHTS_CHANGED' } })
}
