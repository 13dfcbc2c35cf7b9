/**
 * A log subscription over WebSocket. graphql-ws believes it to be an ordinary, idle iterator, so its protocol handling
 * (duplicate ids, `complete` from either side, closing) stays in charge, while the hub writes the events straight to the socket.
 */
import type { Duplex } from 'node:stream'
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Batch } from './batch.ts'
import type { Hold } from './hub.ts'
import type { Subscriber } from './subscriber.ts'

export interface SocketOperationOptions {
  /** The TCP connection below the WebSocket. */
  readonly socket: Duplex
  /** The operation's id on its socket. */
  readonly id: string
  /** Closes the WebSocket for being too slow. */
  readonly cut: () => void
  readonly isOpen: () => boolean
}

export class SocketOperation implements Subscriber, AsyncGenerator<ExecutionResult, void, void> {
  readonly #options: SocketOperationOptions
  readonly #idAsJson: string
  #hold: Hold | null = null
  #ended: { readonly error: GraphQLError | null } | null = null
  #wake: (() => void) | null = null

  constructor(options: SocketOperationOptions) {
    this.#options = options
    this.#idAsJson = JSON.stringify(options.id)
  }

  /** What to let go of when the operation ends, from whichever side. */
  set hold(hold: Hold) {
    this.#hold = hold
    if (this.#ended !== null) hold.close()
  }

  get bufferedBytes(): number {
    return this.#options.socket.writableLength
  }

  send(batch: Batch): void {
    if (this.#ended === null && this.#options.isOpen()) batch.writeFrames(this.#options.socket, this.#idAsJson)
  }

  drained(): Promise<void> {
    const { socket } = this.#options
    if (socket.destroyed || !socket.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        socket.off('drain', done)
        socket.off('close', done)
        resolve()
      }
      socket.on('drain', done)
      socket.on('close', done)
    })
  }

  cut(): void {
    this.#options.cut()
  }

  fail(error: GraphQLError): void {
    this.#end(error)
  }

  /** graphql-ws waits here for as long as the subscription runs. */
  async next(): Promise<IteratorResult<ExecutionResult, void>> {
    if (this.#ended === null) await new Promise<void>((resolve) => (this.#wake = resolve))
    const error = this.#ended?.error ?? null
    if (error !== null) throw error
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<ExecutionResult, void>> {
    this.#end(null)
    return { done: true, value: undefined }
  }

  async throw(): Promise<IteratorResult<ExecutionResult, void>> {
    return this.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #end(error: GraphQLError | null): void {
    if (this.#ended !== null) return
    this.#ended = { error }
    this.#hold?.close()
    this.#wake?.()
  }
}
