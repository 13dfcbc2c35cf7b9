/**
 * The open streaming connections (WebSockets and event streams) of this server: how many there are, of each user, too,
 * that they are alive, and that their tokens still are what they were when they connected.
 */
import type { LiveConfig } from '../../config/config.ts'
import { isOutage } from '../../core/errors.ts'
import type { Credential, Viewer } from '../../core/identity.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import { Holdings, limitOf } from '../operation/holdings.ts'

/** Proxies and browsers drop silent connections after 30 to 60 s. */
const BEAT_MS = 12_000

export type EndReason = 'TOKEN_REMOVED' | 'RIGHTS_CHANGED' | 'GOING_AWAY'

export interface Connection {
  readonly transport: 'websocket' | 'sse'
  /** Who is on the other side; null as long as a WebSocket has not said so. */
  readonly identity: { readonly credential: Credential; readonly viewer: Viewer } | null
  /** Time for a sign of life. */
  beat(): void
  /** Closes it, telling why. */
  end(reason: EndReason): void
}

export type Authenticate = (credential: Credential) => Viewer | null

export interface ConnectionsOptions {
  readonly authenticate: Authenticate
  readonly config: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
}

export class Connections {
  readonly #options: ConnectionsOptions
  /** Each with what releases it from its user's. */
  readonly #open = new Map<Connection, () => void>()
  readonly #perUser = new Holdings()
  readonly #beats: Periodic
  #unsubscribe: () => void = () => undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
    const { clock, logger } = options
    const tick = async (): Promise<void> => {
      for (const connection of this.#open.keys()) connection.beat()
    }
    this.#beats = new Periodic({ name: 'beats to clients', everyMs: BEAT_MS, tick, isOutage, clock, logger })
  }

  start(): void {
    this.#unsubscribe = this.#options.config.onChange(() => this.#recheck())
    this.#beats.start()
  }

  /** Ends all of them. */
  async stop(): Promise<void> {
    this.#unsubscribe()
    for (const connection of this.#open.keys()) connection.end('GOING_AWAY')
    await this.#beats.stop()
  }

  /** The returned function is called when the connection is closed, for whatever reason. */
  add(connection: Connection): () => void {
    const { connections } = this.#options.metrics
    this.#open.set(connection, this.#hold(connection))
    connections.inc({ transport: connection.transport })
    return () => {
      const release = this.#open.get(connection)
      if (release === undefined) return
      this.#open.delete(connection)
      connections.dec({ transport: connection.transport })
      release()
    }
  }

  /** A connection that was added without an identity has one now. */
  identified(connection: Connection): void {
    if (this.#open.has(connection)) this.#open.set(connection, this.#hold(connection))
  }

  /** Why the viewer may open no further connection; null: they may. */
  refusal(viewer: Viewer): string | null {
    const { connectionsPerUser } = this.#options.config.current().settings
    const limit = limitOf(viewer, connectionsPerUser)
    if (this.#perUser.of(viewer) < limit) return null
    return `you have ${limit} connections. Close some, or have the operator raise connections_per_user.`
  }

  #hold({ identity }: Connection): () => void {
    return identity === null ? () => undefined : this.#perUser.take(identity.viewer)
  }

  /** A removed token ends its connections; one whose rights changed connects again and gets its new ones. */
  #recheck(): void {
    for (const connection of this.#open.keys()) {
      if (connection.identity === null) continue
      const { credential, viewer } = connection.identity
      const now = this.#options.authenticate(credential)
      if (now === null) connection.end('TOKEN_REMOVED')
      else if (JSON.stringify(now) !== JSON.stringify(viewer)) connection.end('RIGHTS_CHANGED')
    }
  }
}
