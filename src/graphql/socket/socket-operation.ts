/**
 * A log subscription over WebSocket. graphql-ws sees an idle iterator and stays in charge of its protocol (duplicate
 * ids, `complete` from either side, closing), while the hub writes the events straight to the socket.
 */
import type { Duplex } from 'node:stream'
import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Batch } from '../live/batch.ts'
import { toBytes, type Bytes } from '../live/bytes.ts'
import type { Hold } from '../live/hub.ts'
import { IdleResults } from '../live/idle-results.ts'
import type { Subscriber } from '../live/subscriber.ts'
import type { LogChannel } from '../operation/caller.ts'

export interface SocketOperationOptions {
  /** The TCP connection below the WebSocket. */
  readonly socket: Duplex
  /** The operation's id on its socket. */
  readonly id: string
  /** Closes the WebSocket for being too slow. */
  readonly cut: () => void
  readonly isOpen: () => boolean
}

export class SocketOperation implements Subscriber, LogChannel {
  /** A client that resumes sends `after`. */
  readonly lastSeq = null
  readonly #options: SocketOperationOptions
  readonly #idAsJson: Bytes
  #hold: Hold | null = null
  #isEnded = false
  readonly #results = new IdleResults(() => {
    this.#isEnded = true
    this.#hold?.close()
  })

  constructor(options: SocketOperationOptions) {
    this.#options = options
    this.#idAsJson = toBytes(JSON.stringify(options.id))
  }

  get subscriber(): Subscriber {
    return this
  }

  carry(hold: Hold): AsyncGenerator<ExecutionResult, void, void> {
    this.#hold = hold
    if (this.#isEnded) hold.close()
    return this.#results
  }

  get bufferedBytes(): number {
    return this.#options.socket.writableLength
  }

  send(batch: Batch): void {
    if (!this.#isEnded && this.#options.isOpen()) batch.writeFrames(this.#options.socket, this.#idAsJson)
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
    this.#results.fail(error)
  }
}
