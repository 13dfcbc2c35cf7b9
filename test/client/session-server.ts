/** The API of one session on the wire: a SessionLog's page, its older entries and its events. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { WebSocketServer, type WebSocket } from 'ws'
import type { SessionLog } from './session-log.ts'

interface Operation {
  readonly query: string
  readonly variables: { readonly last: number; readonly before?: string | null; readonly after: number }
}

const PAGE = 'query StorePage'
const OLDER = 'query StoreOlder'

/** Answers to requests for older entries are made at once, and leave when `release` is called. */
export class SessionServer {
  readonly #log: SessionLog
  readonly #server = createServer((request, response) => {
    void this.#answer(request).then((session) => response.end(JSON.stringify({ data: { session } })))
  })
  readonly #sockets = new WebSocketServer({
    server: this.#server,
    handleProtocols: () => 'graphql-transport-ws',
  })
  readonly #followers: { readonly socket: WebSocket; readonly id: string; seen: number }[] = []
  readonly #asked = Promise.withResolvers<void>()
  readonly #released = Promise.withResolvers<void>()

  /** The code of the error that ends each subscription; null: they stand. */
  failure: string | null = null
  /** One more event comes before that error. */
  failsAfterUpdate = false
  /** How many subscriptions came. */
  followedCount = 0
  /** Resolves when older entries were asked for. */
  readonly asked = this.#asked.promise
  readonly release = this.#released.resolve

  private constructor(log: SessionLog) {
    this.#log = log
    this.#sockets.on('connection', (socket) => socket.on('message', (data: Buffer) => this.#take(socket, data)))
  }

  static async start(log: SessionLog): Promise<SessionServer> {
    const server = new SessionServer(log)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Sends what has come to the log. */
  flush(): void {
    for (const follower of this.#followers) {
      for (const event of this.#log.after(follower.seen))
        follower.socket.send(
          JSON.stringify({ id: follower.id, type: 'next', payload: { data: { sessionEvents: event } } }),
        )
      follower.seen = this.#log.seq
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #answer(request: IncomingMessage): Promise<unknown> {
    const { query, variables } = (await json(request)) as Operation
    if (query.includes(PAGE)) return this.#log.page(this.#log.view(), variables.last)
    if (!query.includes(OLDER)) throw new Error(`not made for: ${query}`)
    const all = this.#log.conversation()
    const end = variables.before == null ? all.length : Number(variables.before)
    const start = Math.max(0, end - variables.last)
    const edges = all.slice(start, end).map((node) => ({ node }))
    this.#asked.resolve()
    await this.#released.promise
    return { conversation: { edges, pageInfo: { hasPreviousPage: start > 0, startCursor: String(start) } } }
  }

  #take(socket: WebSocket, data: Buffer): void {
    const { type, id, payload } = JSON.parse(data.toString()) as { type: string; id: string; payload?: Operation }
    if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }))
    if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }))
    if (type !== 'subscribe') return
    this.followedCount += 1
    const errors = [{ message: 'Broken.', extensions: { code: this.failure } }]
    const follower = { socket, id, seen: payload?.variables.after ?? 0 }
    if (this.failure === null || this.failsAfterUpdate) this.#followers.push(follower)
    if (this.failsAfterUpdate) this.#log.take('send')
    this.flush()
    if (this.failure === null) return
    if (this.failsAfterUpdate) this.#followers.pop()
    socket.send(JSON.stringify({ type: 'error', id, payload: errors }))
  }
}
