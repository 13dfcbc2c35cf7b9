/** The client on the other side of one WebSocket: who it is, whether it is alive, how it is let go. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, MessageType } from 'graphql-ws'
import type { RawData, WebSocket } from 'ws'
import type { Credential, Viewer } from '../../core/identity.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { Connection, EndReason } from './connections.ts'
import type { Caller } from '../operation/caller.ts'

const SLOW_CONSUMER = { code: 4413, reason: 'SLOW_CONSUMER: resume with the last seq you received as "after"' }
const END_REASONS: Readonly<Record<EndReason, { readonly code: number; readonly reason: string }>> = {
  // Not 4403, with which clients of graphql-ws try again.
  TOKEN_REMOVED: { code: CloseCode.Unauthorized, reason: 'TOKEN_REMOVED: the token is not valid any more' },
  RIGHTS_CHANGED: { code: 4205, reason: 'RIGHTS_CHANGED: connect again' },
  GOING_AWAY: { code: 1001, reason: 'GOING_AWAY: connect again and resume with "after"' },
}
/** Beats without any sign of life after which a client counts as gone. */
const MAX_MISSED_BEATS = 2

/** What is kept of the request for as long as the socket is open. */
export type UpgradeRequest = Pick<IncomingMessage, 'headers' | 'url'>

export interface SocketClientOptions {
  readonly webSocket: WebSocket
  /** The TCP connection below it. */
  readonly socket: Duplex
  /** How it asked to speak WebSocket. */
  readonly request: UpgradeRequest
  readonly requestId: string
  readonly logger: Logger
  readonly metrics: Metrics
}

export class SocketClient implements Connection {
  readonly transport = 'websocket'
  readonly #options: SocketClientOptions
  #identity: Connection['identity'] = null
  #missedBeats = 0
  #heldAtLastBeat = 0
  #isAnsweringPing = false

  constructor(options: SocketClientOptions) {
    this.#options = options
    options.webSocket.on('pong', () => (this.#missedBeats = 0))
    // Frames that break the protocol, or are too large: ws closes the socket with the fitting code.
    options.webSocket.on('error', (error) =>
      options.logger.info({ error: reasonOf(error) }, 'a WebSocket failed; it is closed'),
    )
  }

  get identity(): Connection['identity'] {
    return this.#identity
  }

  get socket(): Duplex {
    return this.#options.socket
  }

  get request(): UpgradeRequest {
    return this.#options.request
  }

  get logger(): Logger {
    return this.#options.logger
  }

  get isOpen(): boolean {
    const { webSocket } = this.#options
    return webSocket.readyState === webSocket.OPEN
  }

  get bufferedBytes(): number {
    return this.#options.socket.writableLength
  }

  identify(credential: Credential, viewer: Viewer): void {
    this.#identity = { credential, viewer }
  }

  /** Who sends operations on this socket; null before `connection_init`. */
  caller(): Caller | null {
    const { requestId, logger } = this.#options
    if (this.#identity === null) return null
    return { viewer: this.#identity.viewer, requestId, logger, transport: 'websocket', trace: null }
  }

  /** Resolves when the message is written, or cannot be because the socket is closed. */
  send(data: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOpen) this.#options.webSocket.send(data, () => resolve())
      else resolve()
    })
  }

  /** Pings that come before the answer to one is written have none of their own, so that answers do not pile up. */
  async pong(payload?: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#isAnsweringPing) return
    this.#isAnsweringPing = true
    await this.send(JSON.stringify({ type: MessageType.Pong, payload }))
    this.#isAnsweringPing = false
  }

  onMessage(handle: (data: string) => Promise<void>): void {
    this.#options.webSocket.on('message', (data: RawData) => {
      // A client that was closed, perhaps because its token is no more, and does not answer that could go on asking.
      if (!this.isOpen) return
      this.#missedBeats = 0
      handle(toText(data)).catch((error: unknown) => {
        this.logger.error({ err: error }, 'a WebSocket message could not be handled; the socket is closed')
        this.close(CloseCode.InternalServerError, 'Internal server error')
      })
    })
  }

  close(code: number, reason: string): void {
    this.#options.webSocket.close(code, reason)
  }

  /** It does not keep up: what it has not taken yet it may still read, nothing is added. */
  cut(): void {
    if (!this.isOpen) return
    this.#options.metrics.slowConsumers.inc({ transport: 'websocket' })
    this.logger.warn({ bufferedBytes: this.bufferedBytes }, 'a slow consumer was cut')
    this.close(SLOW_CONSUMER.code, SLOW_CONSUMER.reason)
  }

  beat(): void {
    // A client that is still busy with what it was sent cannot have seen our ping.
    const isBusy = this.bufferedBytes > 0 && this.bufferedBytes !== this.#heldAtLastBeat
    this.#heldAtLastBeat = this.bufferedBytes
    this.#missedBeats = isBusy ? 0 : this.#missedBeats + 1
    if (this.#missedBeats > MAX_MISSED_BEATS) this.#options.webSocket.terminate()
    else if (this.isOpen) this.#options.webSocket.ping()
  }

  end(reason: EndReason): void {
    const end = END_REASONS[reason]
    this.close(end.code, end.reason)
  }

  /** Does not wait for the other side. */
  terminate(): void {
    this.#options.webSocket.terminate()
  }
}

function toText(data: RawData): string {
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString()
}
