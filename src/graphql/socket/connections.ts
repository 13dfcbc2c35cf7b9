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

/** Proxies and browsers drop silent connections after 30 to 60 s. */
const BEAT_MS = 12_000
/** A connector acts for many people. */
const OF_A_CONNECTOR = 5

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
  readonly #open = new Set<Connection>()
  readonly #perUser = new Map<string, number>()
  readonly #beats: Periodic
  #unsubscribe: () => void = () => undefined

  constructor(options: ConnectionsOptions) {
    this.#options = options
    const { clock, logger } = options
    const tick = async (): Promise<void> => {
      for (const connection of this.#open) connection.beat()
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
    for (const connection of this.#open) connection.end('GOING_AWAY')
    await this.#beats.stop()
  }

  /** The returned function is called when the connection is closed, for whatever reason. */
  add(connection: Connection): () => void {
    const { connections } = this.#options.metrics
    this.#open.add(connection)
    connections.inc({ transport: connection.transport })
    this.#count(connection, 1)
    return () => {
      if (!this.#open.delete(connection)) return
      connections.dec({ transport: connection.transport })
      this.#count(connection, -1)
    }
  }

  /** A connection that was added without an identity has one now. */
  identified(connection: Connection): void {
    this.#count(connection, 1)
  }

  /** Why the viewer may open no further connection; null: they may. */
  refusal(viewer: Viewer): string | null {
    const { connectionsPerUser } = this.#options.config.current().settings
    const limit = connectionsPerUser * (viewer.tokenKind === 'CONNECTOR' ? OF_A_CONNECTOR : 1)
    if ((this.#perUser.get(holderOf(viewer)) ?? 0) < limit) return null
    return `you have ${limit} connections. Close some, or have the operator raise connections_per_user.`
  }

  #count({ identity }: Connection, change: 1 | -1): void {
    if (identity === null) return
    const holder = holderOf(identity.viewer)
    const count = (this.#perUser.get(holder) ?? 0) + change
    if (count > 0) this.#perUser.set(holder, count)
    else this.#perUser.delete(holder)
  }

  /** A removed token ends its connections; one whose rights changed connects again and gets its new ones. */
  #recheck(): void {
    for (const connection of this.#open) {
      if (connection.identity === null) continue
      const { credential, viewer } = connection.identity
      const now = this.#options.authenticate(credential)
      if (now === null) connection.end('TOKEN_REMOVED')
      else if (JSON.stringify(now) !== JSON.stringify(viewer)) connection.end('RIGHTS_CHANGED')
    }
  }
}

/** Whose connections are counted together. */
export function holderOf({ user, tokenName }: Viewer): string {
  return user === null ? `token ${tokenName}` : `user ${user.name}`
}
