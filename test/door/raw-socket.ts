/** A WebSocket client that sends what it is told, well-formed or not, and reports how it was closed. */
import { WebSocket, type ClientOptions } from 'ws'

export interface Message {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

export class RawSocket {
  readonly received: Message[] = []
  /** "<code> <reason>". */
  readonly closed: Promise<string>
  readonly socket: WebSocket
  readonly #waiting: { accept: (message: Message) => boolean; resolve: () => void; reject: (error: Error) => void }[] =
    []
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        const how = `${code} ${String(reason)}`.trim()
        resolve(how)
        for (const { reject } of this.#waiting) reject(new Error(`closed: ${how}`))
      })
    })
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(String(data)) as Message
      this.received.push(message)
      for (const waiting of this.#waiting.filter(({ accept }) => accept(message))) {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        waiting.resolve()
      }
    })
  }

  /** Connects without a word. Rejects with "<status>" when the upgrade is refused. */
  static connect(url: string, options: ClientOptions = {}, protocol = 'graphql-transport-ws'): Promise<RawSocket> {
    const socket = new WebSocket(url, protocol, options)
    const raw = new RawSocket(socket)
    return new Promise((resolve, reject) => {
      socket.once('open', () => resolve(raw))
      socket.once('unexpected-response', (request, response) => {
        reject(new Error(String(response.statusCode)))
        request.destroy()
      })
      socket.on('error', reject)
    })
  }

  /** Connects and says who it is. */
  static async open(url: string, token: string, options: ClientOptions = {}): Promise<RawSocket> {
    const raw = await RawSocket.connect(url, options)
    raw.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } })
    await raw.until((message) => message.type === 'connection_ack')
    return raw
  }

  nextId(): string {
    return String((this.#lastId += 1))
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Resolves when such a message was received. Rejects when the socket is closed before. */
  until(accept: (message: Message) => boolean): Promise<void> {
    if (this.received.some(accept)) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiting.push({ accept, resolve, reject }))
  }

  /** Sends a message and waits until the operation has ended; returns what came for it. */
  async exchange(message: string, id: string): Promise<readonly Message[]> {
    this.send(message)
    await this.until((one) => one.id === id && (one.type === 'complete' || one.type === 'error'))
    return this.received.filter((one) => one.id === id)
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.closed
  }
}
