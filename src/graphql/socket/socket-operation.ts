/**
 * A log subscription over WebSocket. graphql-ws believes it to be an ordinary, idle iterator, so its protocol handling
 * (duplicate ids, `complete` from either side, closing) stays in charge, while the hub writes the events straight to
 * the socket.
 */
import type { Duplex } from 'node:stream'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { EndableGenerator } from '../../platform/endable-generator.ts'
import type { Batch } from '../live/batch.ts'
import type { Hold } from '../live/hub.ts'
import type { Subscriber } from '../live/subscriber.ts'

export interface SocketOperationOptions {
  /** The TCP connection below the WebSocket. */
  readonly socket: Duplex
  /** The operation's id on its socket. */
  readonly id: string
  /** Closes the WebSocket for being too slow. */
  readonly cut: () => void
  readonly isOpen: () => boolean
}

export class SocketOperation extends EndableGenerator<ExecutionResult> implements Subscriber {
  readonly #options: SocketOperationOptions
  readonly #idAsJson: string
  #hold: Hold | null = null

  constructor(options: SocketOperationOptions) {
    super()
    this.#options = options
    this.#idAsJson = JSON.stringify(options.id)
  }

  /** What to let go of when the operation ends, from whichever side. */
  set hold(hold: Hold) {
    this.#hold = hold
    if (this.isEnded) hold.close()
  }

  get bufferedBytes(): number {
    return this.#options.socket.writableLength
  }

  send(batch: Batch): void {
    if (!this.isEnded && this.#options.isOpen()) batch.writeFrames(this.#options.socket, this.#idAsJson)
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
    this.end({ error })
  }

  /** graphql-ws waits here for as long as the subscription runs. */
  protected take(): Promise<null> {
    return new Promise(() => undefined)
  }

  protected onEnd(): void {
    this.#hold?.close()
  }
}
