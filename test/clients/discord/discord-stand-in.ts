/**
 * As much of Discord as a bot needs that reads and writes in channels, after its documentation (API version 10):
 * gateway with hello, identify, heartbeats and resume; messages over REST, where a nonce that came before posts
 * nothing, and pages of at most 100. Discord's own library talks to it.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { WebSocketServer, type WebSocket } from 'ws'

export interface Posted {
  readonly id: string
  readonly channel_id: string
  readonly content: string
  readonly author: { readonly id: string; readonly username: string; readonly bot: boolean }
  readonly nonce?: string
}

const BOT = { id: '900', username: 'factotum', bot: true }
const TOKEN = 'bot-token'
/** Opcodes of the gateway. */
const [DISPATCH, HEARTBEAT, IDENTIFY, RESUME, HELLO, HEARTBEAT_ACK] = [0, 1, 2, 6, 10, 11]

export class DiscordStandIn implements AsyncDisposable {
  readonly token = TOKEN
  /** By channel: the status with which all that is asked about it is refused. */
  readonly broken = new Map<string, number>()
  /** By channel: what its pages of messages wait for. */
  readonly held = new Map<string, Promise<void>>()
  readonly #server: Server
  readonly #gateway: WebSocketServer
  readonly #messages: Posted[] = []
  /** Clients that were let in. */
  readonly #ready = new Set<WebSocket>()
  #ids = 1000
  #sequence = 0

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
    this.#gateway = new WebSocketServer({ server: this.#server })
    this.#gateway.on('connection', (socket) => this.#greet(socket))
  }

  static async start(): Promise<DiscordStandIn> {
    const discord = new DiscordStandIn()
    await new Promise<void>((resolve) => void discord.#server.listen(0, '127.0.0.1', resolve))
    return discord
  }

  /** For `api` of the library. */
  get api(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api`
  }

  /** An author writes into a channel. */
  write(channel: string, author: string, content: string): void {
    const message = this.#keep({ channel_id: channel, content, author: { id: author, username: author, bot: false } })
    for (const socket of this.#ready) this.#dispatch(socket, 'MESSAGE_CREATE', message)
  }

  /** What the bot wrote into a channel, in order. */
  saidIn(channel: string): string[] {
    return this.#messages.filter((one) => one.channel_id === channel && one.author.bot).map(({ content }) => content)
  }

  #keep(message: Omit<Posted, 'id'>): Posted {
    const kept = { ...message, id: String((this.#ids += 1)) }
    this.#messages.push(kept)
    return kept
  }

  #greet(socket: WebSocket): void {
    socket.send(JSON.stringify({ op: HELLO, d: { heartbeat_interval: 41_250 } }))
    socket.on('close', () => this.#ready.delete(socket))
    socket.on('message', (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString()) as { op: number; d: { token?: string } | null }
      if (op === HEARTBEAT) return socket.send(JSON.stringify({ op: HEARTBEAT_ACK }))
      if (op !== IDENTIFY && op !== RESUME) return undefined
      if (d?.token !== TOKEN) return socket.close(4004, 'Authentication failed.')
      this.#ready.add(socket)
      const { href: url } = new URL(this.api.replace('http', 'ws'))
      const ready = {
        v: 10,
        user: BOT,
        guilds: [],
        session_id: 'one',
        resume_gateway_url: url,
        application: { id: '901' },
      }
      return this.#dispatch(socket, op === RESUME ? 'RESUMED' : 'READY', ready)
    })
  }

  #dispatch(socket: WebSocket, t: string, d: object): void {
    socket.send(JSON.stringify({ op: DISPATCH, t, s: (this.#sequence += 1), d }))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.headers.authorization !== `Bot ${TOKEN}`) return reply(401, { message: '401: Unauthorized', code: 0 })
    const { pathname, searchParams } = new URL(request.url ?? '', this.api)
    if (pathname === '/api/v10/gateway/bot') {
      const limit = { total: 1000, remaining: 999, reset_after: 1000, max_concurrency: 1 }
      return reply(200, { url: this.api.replace('http', 'ws'), shards: 1, session_start_limit: limit })
    }
    const channel = /^\/api\/v10\/channels\/(\w+)\/messages$/.exec(pathname)?.[1]
    if (channel === undefined) return reply(404, { message: '404: Not Found', code: 0 })
    const status = this.broken.get(channel)
    if (status !== undefined) return reply(status, { message: `${status}`, code: 0 })
    if (request.method === 'GET') {
      await this.held.get(channel)
      const [after, limit] = [Number(searchParams.get('after') ?? 0), Number(searchParams.get('limit') ?? 50)]
      if (limit > 100) return reply(400, { message: 'Invalid Form Body', code: 50_035 })
      const found = this.#messages.filter((one) => one.channel_id === channel && Number(one.id) > after)
      return reply(200, found.slice(0, limit).toReversed())
    }
    const asked = (await json(request)) as { content: string; nonce: string; enforce_nonce: boolean }
    if (asked.content.length > 2000) return reply(400, { message: 'Invalid Form Body', code: 50_035 })
    const before = this.#messages.find(({ nonce }) => asked.enforce_nonce && nonce === asked.nonce)
    return reply(
      200,
      before ?? this.#keep({ channel_id: channel, content: asked.content, author: BOT, nonce: asked.nonce }),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#gateway.clients) socket.terminate()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
