/**
 * A real HTTP server that receives posts and behaves as it is told, for tests of delivery. It keeps what it was sent.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Arrivals } from '../harness/arrivals.ts'

export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string
  readonly body: {
    readonly session: string
    readonly task_id: string
    readonly type: string
    readonly content: string
    readonly final: boolean
  }
  /** Milliseconds, monotonic. */
  readonly at: number
}

/** `nth`: how many posts with this webhook-id have come, this one included. */
export type Behaviour = (response: ServerResponse, post: Received, nth: number) => void

export const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end()

/** Never answers. */
export const hang: Behaviour = () => {}
/** One byte of headers at a time, for ever. */
export const slowHeaders: Behaviour = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\n')
  const drip = setInterval(() => socket?.write('x'), 5)
  socket?.once('close', () => clearInterval(drip))
}
/** Good status, and a body that never ends, as fast as it is read. */
export const endlessBody =
  (status: number, onEnd: (bytes: number) => void = () => {}): Behaviour =>
  (response) => {
    const chunk = Buffer.alloc(65_536, 'x')
    let bytes = 0
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk)) bytes += chunk.length
    }
    response
      .writeHead(status)
      .on('drain', pour)
      .once('close', () => onEnd(bytes))
    pour()
  }
export const reset: Behaviour = (response) => void response.socket?.resetAndDestroy()
/** Different from one attempt to the next; the last goes on. */
export const inTurn =
  (...behaviours: readonly Behaviour[]): Behaviour =>
  (response, post, nth) =>
    behaviours[Math.min(nth, behaviours.length) - 1]?.(response, post, nth)

export class Receiver implements AsyncDisposable {
  readonly received = new Arrivals<Received>()
  readonly #server: Server
  readonly #counts = new Map<string, number>()
  #behaviour: Behaviour
  #open = 0
  #mostAtOnce = 0

  private constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour
    this.#server = createServer((request, response) => void this.#receive(request, response))
    this.#server.on('clientError', (_error, socket) => socket.destroy())
  }

  static async start(behaviour: Behaviour = answer(204)): Promise<Receiver> {
    const receiver = new Receiver(behaviour)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The most posts that were under way at once. */
  get mostAtOnce(): number {
    return this.#mostAtOnce
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#open += 1
    this.#mostAtOnce = Math.max(this.#mostAtOnce, this.#open)
    response.once('close', () => (this.#open -= 1))
    const raw = await text(request).catch(() => null)
    // The sender has given up in the middle of it.
    if (raw === null) return
    const headers = request.headers as Record<string, string>
    const post = {
      path: request.url ?? '',
      headers,
      raw,
      body: JSON.parse(raw) as Received['body'],
      at: performance.now(),
    }
    const id = headers['webhook-id'] ?? ''
    const nth = (this.#counts.get(id) ?? 0) + 1
    this.#counts.set(id, nth)
    this.#behaviour(response, post, nth)
    this.received.add(post)
  }
}
