/**
 * What makes this process a node: a connection of its own that holds the node's advisory lock and beats. When the connection ends or
 * a beat finds the node evicted, the membership is lost: all that runs under it ends at once, and only then this process
 * leaves the list and joins again under a new id.
 *
 * What must hold: no command runs longer than `COMMANDS_MS` after a beat was sent that the database has answered, because others
 * wait no longer than that for them (src/store/nodes.ts).
 */
import { Client } from 'pg'
import { messageOf } from '../core/errors.ts'
import type { CommandService } from '../execution/run-command.ts'
import { identityOfServer } from '../execution/process/server-identity.ts'
import { backoffMs } from '../platform/backoff.ts'
import type { Clock } from '../platform/clock.ts'
import { randomFraction } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import { machineMs } from '../platform/machine-clock.ts'
import type { Database } from '../store/database.ts'
import { beat, leaveNode, registerNode } from '../store/nodes.ts'

export interface NodeMembershipOptions {
  /** For leaving the list; a node's own connection goes to the same place. */
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly commands: Pick<CommandService, 'allowUntil' | 'endAll'>
  readonly clock: Clock
  readonly logger: Logger
  readonly onJoined: (node: number) => void
  /** Stops all that runs, without another write. */
  readonly onLost: () => void
}

interface Connection {
  readonly client: Client
  /** Aborts when it has ended. */
  readonly ended: AbortController
}

interface Membership {
  readonly node: number
  readonly connection: Connection
}

const BEAT_MS = 2000
/** A beat that gets no answer for this long counts as a broken connection: before its commands would be ended without it. */
const BEAT_TIMEOUT_MS = 3500
const COMMANDS_MS = 6000
/** What is late by so much stood still itself, whoever let it. */
const STALL_MS = 2000
/** Ending all commands takes milliseconds. After so long they were ended without us. */
const MAX_END_MS = 8000
const GOOD_BYE_MS = 1000
const REJOIN = { firstMs: 200, maxMs: 2000 }

export class NodeMembership {
  readonly #options: NodeMembershipOptions
  readonly #stopping = new AbortController()
  #membership: Membership | null = null
  #keeping: Promise<void> = Promise.resolve()

  constructor(options: NodeMembershipOptions) {
    this.#options = options
  }

  /** Joins for the first time; rejects when that fails, since a server that cannot start should say so. */
  async start(): Promise<void> {
    const first = await this.#join()
    this.#keeping = this.#keep(first)
  }

  /** Leaves the list for good. Nothing may run any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#keeping
    const membership = this.#membership
    if (membership === null) return
    // Without the database there is nothing to leave: others see by the lock that this node is gone.
    await leaveNode(this.#options.database, membership.node, { hasDied: false }).catch((error: unknown) =>
      this.#options.logger.warn({ error: messageOf(error) }, 'could not sign off'),
    )
    await this.#close(membership.connection)
  }

  async #keep(first: Membership): Promise<void> {
    const { logger, onLost } = this.#options
    for (let membership: Membership | null = first; membership !== null;) {
      const { node, connection } = membership
      const hasStalled = await this.#beatUntilLost(membership)
      if (this.#stopping.signal.aborted) return
      this.#membership = null
      onLost()
      const hasEnded = await this.#endCommands()
      await this.#close(connection)
      if (!hasEnded) logger.error({ node }, 'commands could not be ended; other nodes wait until they must have ended')
      membership = await this.#rejoin(hasEnded ? { node, hasDied: hasStalled } : null)
    }
  }

  /** Resolves when the membership is lost or to be ended; true: this process stood still meanwhile. */
  async #beatUntilLost({ node, connection }: Membership): Promise<boolean> {
    const { clock, logger } = this.#options
    const wake = AbortSignal.any([this.#stopping.signal, connection.ended.signal])
    for (;;) {
      const sinceMs = clock.monotonicMs()
      await clock.sleep(BEAT_MS, wake)
      if (this.#stopping.signal.aborted) return false
      if (await this.#beats({ node, connection })) continue
      const stalledMs = clock.monotonicMs() - sinceMs - BEAT_MS - BEAT_TIMEOUT_MS
      if (stalledMs > STALL_MS)
        logger.error({ node, stalledMs }, 'this process stood still for longer than others wait')
      return stalledMs > STALL_MS
    }
  }

  async #beats({ node, connection }: Membership): Promise<boolean> {
    const { logger, commands } = this.#options
    const sentAtMs = machineMs()
    try {
      const isListed = await beat(connection.client, node)
      if (isListed) commands.allowUntil(sentAtMs + COMMANDS_MS)
      else logger.error({ node }, 'this node was taken for dead: its turns go on elsewhere')
      return isListed
    } catch (error) {
      logger.error(
        { node, error: messageOf(error) },
        'the database went away: running turns stop here and resume from their rows',
      )
      return false
    }
  }

  /** False: nobody can say whether a command still runs. */
  async #endCommands(): Promise<boolean> {
    const { commands, clock } = this.#options
    const inTime = new AbortController()
    const tooLate = clock.sleep(MAX_END_MS, inTime.signal).then(() => false)
    const hasEnded = await Promise.race([commands.endAll().then(() => true), tooLate])
    inTime.abort()
    return hasEnded
  }

  /** `left`: the node that this process was, of which no command runs any more. Null: this process stops. */
  async #rejoin(left: { readonly node: number; readonly hasDied: boolean } | null): Promise<Membership | null> {
    const { clock, logger, database } = this.#options
    const { signal } = this.#stopping
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        if (left !== null) await leaveNode(database, left.node, left)
        return await this.#join()
      } catch (error) {
        logger.warn({ error: messageOf(error), failures }, 'cannot join the nodes; trying again')
      }
      await clock.sleep(backoffMs(REJOIN, failures, randomFraction()), signal)
    }
    return null
  }

  async #join(): Promise<Membership> {
    const connection = this.#open()
    try {
      await connection.client.connect()
      const sentAtMs = machineMs()
      const node = await registerNode(connection.client, identityOfServer(this.#options.home))
      this.#options.commands.allowUntil(sentAtMs + COMMANDS_MS)
      this.#membership = { node, connection }
      this.#options.onJoined(node)
      return this.#membership
    } catch (error) {
      await this.#close(connection)
      throw error
    }
  }

  #open(): Connection {
    const ended = new AbortController()
    const client = new Client({
      connectionString: this.#options.database.url,
      keepAlive: true,
      connectionTimeoutMillis: BEAT_TIMEOUT_MS,
      query_timeout: BEAT_TIMEOUT_MS,
      application_name: 'factotum node',
    })
    client.on('error', (error) => {
      this.#options.logger.warn({ error: messageOf(error) }, 'node connection broke')
      ended.abort()
    })
    client.on('end', () => ended.abort())
    return { client, ended }
  }

  /** It is being given up: whether it still says good-bye makes no difference, and a peer that is gone says nothing. */
  async #close({ client }: Connection): Promise<void> {
    const inTime = new AbortController()
    await Promise.race([client.end().catch(() => undefined), this.#options.clock.sleep(GOOD_BYE_MS, inTime.signal)])
    inTime.abort()
  }
}
