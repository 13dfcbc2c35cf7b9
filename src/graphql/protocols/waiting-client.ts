/**
 * A client that waits for a turn, on a connection of its own: it is alive, it may leave, its time may be over, and its
 * token may lose its rights. None of that ends the turn.
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import type { Connection, Connections, EndReason } from '../socket/connections.ts'
import type { IdentifiedCaller } from './admit.ts'

/** Why the wait is over. */
export type WaitEnd = EndReason | 'LEFT' | 'LATE'

export interface WaitingClientOptions {
  readonly response: ServerResponse
  readonly known: IdentifiedCaller
  readonly connections: Connections
  readonly clock: Clock
  /** From now on. */
  readonly timeoutMs: number
}

export class WaitingClient implements Connection, Disposable {
  readonly transport = 'sse'
  readonly identity: IdentifiedCaller
  readonly #response: ServerResponse
  readonly #gone = new AbortController()
  readonly #leave: () => void
  readonly #idleMs: number
  #end: WaitEnd | null = null
  #isStream = false

  constructor({ response, known, connections, clock, timeoutMs }: WaitingClientOptions) {
    this.identity = known
    this.#response = response
    const { socket } = response
    this.#idleMs = socket?.timeout ?? 0
    // Nothing is written to it until the answer is there; a peer that is gone is found out by the keep-alive of TCP.
    socket?.setTimeout(0)
    const cancelTimer = clock.after(timeoutMs, () => this.#stop('LATE'))
    const forget = connections.add(this)
    const onClose = (): void => this.#stop('LEFT')
    response.once('close', onClose)
    // Of one that has left by now, nothing more is heard.
    if (response.destroyed) onClose()
    this.#leave = () => {
      cancelTimer()
      forget()
      response.off('close', onClose)
      socket?.setTimeout(this.#idleMs)
    }
  }

  /** Aborts when the client waits no more; then `endedBy` says why. */
  get signal(): AbortSignal {
    return this.#gone.signal
  }

  get endedBy(): WaitEnd | null {
    return this.#end
  }

  /** From here on the answer is a stream of server-sent events, and 200. */
  startStream(headers: Readonly<Record<string, string>>): void {
    this.#isStream = true
    this.#response.socket?.setTimeout(this.#idleMs)
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    })
    this.#response.flushHeaders()
  }

  /** Resolves when the client has taken enough to be given more, or is gone. */
  async write(text: string): Promise<void> {
    const response = this.#response
    if (response.destroyed || response.write(text)) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        response.off('drain', done).off('close', done)
        resolve()
      }
      response.once('drain', done).once('close', done)
    })
  }

  beat(): void {
    if (this.#isStream && !this.#response.writableEnded && !this.#response.writableNeedDrain)
      this.#response.write(':\n\n')
  }

  end(reason: EndReason): void {
    this.#stop(reason)
  }

  [Symbol.dispose](): void {
    this.#leave()
  }

  #stop(reason: WaitEnd): void {
    this.#end ??= reason
    this.#gone.abort()
  }
}
