/**
 * A subscription as server-sent events: GraphQL over SSE, "distinct connections" mode
 * (https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md). `event: next` carries a result, `event: complete`
 * ends the operation. A stream that ends without it was cut off: subscribe again with `after`, or with the header
 * `Last-Event-ID`; the ids of events are their seqs.
 */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { GraphQLError, type ExecutionResult } from 'graphql'
import type { Batch } from '../live/batch.ts'
import type { Hold } from '../live/hub.ts'
import { IdleResults } from '../live/idle-results.ts'
import { MAX_BUFFERED_BYTES, type Subscriber } from '../live/subscriber.ts'
import type { LogChannel } from '../operation/caller.ts'
import type { Connection, EndReason } from '../socket/connections.ts'

/** A client that is cut gets this long to read what is under way. */
const LINGER_MS = 5000

export interface EventStreamOptions {
  readonly identity: Connection['identity']
  /** Node's, where there is one: what it holds counts as not taken yet. */
  readonly response: ServerResponse | null
  readonly lastSeq: number | null
  /** The client did not keep up. */
  readonly onCut: (bufferedBytes: number) => void
}

export class EventStream implements Connection, Subscriber, LogChannel {
  readonly transport = 'sse'
  /** What the client is sent. */
  readonly body: Readable
  /** Resolves when the client has left, or has been sent all. */
  readonly closed: Promise<void>
  readonly #options: EventStreamOptions
  /** Of the connection; yoga takes its time-out away. */
  readonly #idleMs: number
  #onWanted: () => void = () => undefined
  #hasEnd = false

  constructor(options: EventStreamOptions) {
    this.#options = options
    this.#idleMs = options.response?.socket?.timeout ?? 0
    this.body = new Readable({ read: () => this.#wanted() })
    this.closed = new Promise((resolve) => void this.body.once('close', resolve))
    this.body.on('error', () => undefined)
    this.body.push(':\n\n')
  }

  get identity(): Connection['identity'] {
    return this.#options.identity
  }

  get lastSeq(): number | null {
    return this.#options.lastSeq
  }

  get subscriber(): Subscriber {
    return this
  }

  get bufferedBytes(): number {
    return this.body.readableLength + (this.#options.response?.writableLength ?? 0)
  }

  carry(hold: Hold): AsyncGenerator<ExecutionResult, void, void> {
    void this.closed.then(() => hold.close())
    return new IdleResults(() => hold.close())
  }

  send(batch: Batch): void {
    if (this.#isOpen) this.body.push(batch.events)
  }

  /** Sends the results of a subscription that is not the hub's, at the pace at which the client takes them. */
  async pipe(results: AsyncIterable<ExecutionResult>): Promise<void> {
    const iterator = results[Symbol.asyncIterator]()
    const left = this.closed.then(() => iterator.return?.())
    try {
      for (let next = await iterator.next(); next.done !== true && this.#isOpen; next = await iterator.next()) {
        this.body.push(`event: next\ndata: ${JSON.stringify(next.value)}\n\n`)
        if (this.bufferedBytes > MAX_BUFFERED_BYTES) await this.drained()
      }
      this.#complete()
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error
      this.fail(error)
    }
    await left
  }

  drained(): Promise<void> {
    if (!this.#isOpen || this.bufferedBytes === 0) return Promise.resolve()
    const { response } = this.#options
    const taken = new Promise<void>((resolve) => {
      if (response?.writableNeedDrain === true) response.once('drain', resolve)
      else this.#onWanted = resolve
    })
    return Promise.race([taken, this.closed])
  }

  cut(): void {
    const { response, onCut } = this.#options
    onCut(this.bufferedBytes)
    const message = 'The connection was too slow to keep up. Subscribe again with the last seq you received as "after".'
    this.fail(new GraphQLError(message, { extensions: { code: 'SLOW_CONSUMER' } }))
    response?.setTimeout(LINGER_MS, () => response.destroy())
  }

  fail(error: GraphQLError): void {
    if (!this.#isOpen) return
    this.body.push(`event: next\ndata: ${JSON.stringify({ errors: [error] })}\n\n`)
    this.#complete()
  }

  beat(): void {
    if (this.#isOpen) this.body.push(':\n\n')
  }

  end(reason: EndReason): void {
    if (reason === 'TOKEN_REMOVED') this.fail(removedToken())
    else if (reason === 'RIGHTS_CHANGED') this.fail(changedRights())
    // Going away: an end without `complete` makes clients come back.
    else if (this.#isOpen) this.#end()
  }

  #complete(): void {
    if (!this.#isOpen) return
    this.body.push('event: complete\ndata:\n\n')
    this.#end()
  }

  /** Most of what was written has been taken. */
  #wanted(): void {
    const socket = this.#options.response?.socket
    if (socket != null && socket.timeout === 0) socket.setTimeout(this.#idleMs)
    const onWanted = this.#onWanted
    this.#onWanted = () => undefined
    onWanted()
  }

  /** Nothing can be added behind its end. */
  #end(): void {
    this.#hasEnd = true
    this.body.push(null)
  }

  get #isOpen(): boolean {
    return !this.#hasEnd && !this.body.destroyed
  }
}

function removedToken(): GraphQLError {
  return new GraphQLError('The token is not valid any more.', { extensions: { code: 'UNAUTHENTICATED' } })
}

function changedRights(): GraphQLError {
  const message = 'The token\'s rights have changed. Subscribe again with the last seq you received as "after".'
  return new GraphQLError(message, { extensions: { code: 'RIGHTS_CHANGED' } })
}
