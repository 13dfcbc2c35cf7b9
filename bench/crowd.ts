/**
 * Subscribers by the thousand, as cheap as they can be: they count bytes instead of parsing messages, because parsing
 * what a thousand subscribers receive would cost more than sending it. A few of them read when an event was sent.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const QUERY =
  'subscription S($id: ID!, $after: Int) { sessionEvents(sessionId: $id, after: $after) { __typename seq ... on TaskOutputEvent { text } } }'
/** The token of a crowd that the servers of this folder know. */
export const CROWD_TOKEN = 'token-of-the-crowd-0123456789'
/** One in so many reads its events. */
const READER_EVERY = 100
const CONNECT_AT_ONCE = 100
/** Makes events of about 150 bytes. */
const PADDING = 'x'.repeat(50)

/** Whom to connect to. Without a token: a raw broadcast, which wants no subscription. */
export interface Target {
  readonly port: number
  readonly token: string | null
}

export class Crowd {
  readonly sockets: Socket[] = []
  bytes = 0
  /** Called when bytes came; for readers with the time at which the event was sent, in ms since the epoch. */
  onData: (sentAtMs: number | null) => void = () => undefined
  readonly #target: Target
  readonly #operationId: () => string

  /** `ids`: what clients call their operations, each alike as some libraries do, or each as no other (and longer). */
  constructor(target: Target, ids: 'alike' | 'uuid' = 'alike') {
    this.#target = target
    this.#operationId = ids === 'uuid' ? randomUUID : () => '1'
  }

  /** `after`: the seq to follow from. Resolves when all have subscribed. */
  async add(count: number, sessionOf: (n: number) => string, after: number): Promise<void> {
    for (let n = 0; n < count; n += CONNECT_AT_ONCE) {
      const some = Array.from({ length: Math.min(CONNECT_AT_ONCE, count - n) }, (_, m) => sessionOf(n + m))
      await Promise.all(some.map((sessionId) => this.#connect(sessionId, after)))
    }
    // Subscribing is not confirmed by the protocol.
    await sleep(1000)
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await sleep(500)
  }

  async #connect(sessionId: string, after: number): Promise<void> {
    const { port, token } = this.#target
    const socket = connect(port, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
    )
    await once(socket, 'data')
    if (token !== null) {
      socket.write(maskedFrame({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }))
      await once(socket, 'data')
      const payload = { query: QUERY, variables: { id: sessionId, after } }
      socket.write(maskedFrame({ type: 'subscribe', id: this.#operationId(), payload }))
    }
    const isReader = this.sockets.length % READER_EVERY === 0
    this.sockets.push(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', (data: Buffer) => {
      this.bytes += data.length
      this.onData(isReader ? sentAt(data) : null)
    })
  }
}

/** The text of an event that says when it was sent. Equally long each time. */
export function timedText(): string {
  return `t=${nowMs().toFixed(3)} ${PADDING}`
}

/** Comparable between processes. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

function sentAt(data: Buffer): number | null {
  const found = /t=(\d+\.\d+)/.exec(data.toString('latin1'))?.[1]
  return found === undefined ? null : Number(found)
}

function maskedFrame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(payload.length < 126 ? 6 : 8)
  header[0] = 0x81
  header[1] = 0x80 | (payload.length < 126 ? payload.length : 126)
  if (payload.length >= 126) header.writeUInt16BE(payload.length, 2)
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([header, payload])
}
