/**
 * What makes this process a node: a connection of its own that holds the node's advisory lock and beats. When the
 * connection ends or a beat finds the node evicted, the membership is lost: all that runs under it ends at once, and
 * only then this process leaves the list and joins again under a new id.
 *
 * What must hold: no command runs longer than `permitMs` after a beat was sent that the database has answered,
 * because others wait no longer than that for them (src/store/nodes.ts).
 */
import { hostname } from 'node:os'
import type { Client } from 'pg'
import type { Timing } from '../config/timing.ts'
import type { CommandService } from '../execution/run-command.ts'
import { identityOfServer } from '../execution/process/server-identity.ts'
import { reasonOf } from '../platform/error-code.ts'
import { type Clock, machineMs } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { VERSION } from '../platform/version.ts'
import type { Database } from '../store/database.ts'
import { WritableClient } from '../store/connection/writable-client.ts'
import { beat, leaveNode, registerNode } from '../store/nodes.ts'

export interface NodeMembershipOptions {
  /** For leaving the list; a node's own connection goes to the same place. */
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly commands: Pick<CommandService, 'allowUntil' | 'endAll'>
  readonly timing: Pick<Timing, 'beatMs' | 'beatTimeoutMs' | 'stallMs' | 'permitMs' | 'endCommandsMs'>
  readonly clock: Clock
  readonly logger: Logger
  readonly onJoined: (node: number) => void
  /** Stops all that runs, without another write. */
  readonly onLost: () => void
}

interface Membership {
  readonly node: number
  readonly client: Client
  /** When the last beat that found it listed was answered. */
  beatenMs: number
}

/** The node that this process was, of which no command runs any more. */
interface Left {
  readonly node: number
  /** This process stood still for longer than others wait: it counts as a death (src/store/nodes.ts). */
  readonly hasDied: boolean
}

const GOOD_BYE_MS = 1000
const REJOIN = { firstMs: 200, maxMs: 2000 }

export class NodeMembership {
  readonly #options: NodeMembershipOptions
  readonly #beats: Periodic
  #membership: Membership | null = null
  /** What broke the connection, of which a beat would only say that it cannot be used; null: nothing. */
  #broken: Error | null = null
  /** Null: nothing to take off the list before this process joins again. */
  #left: Left | null = null

  constructor(options: NodeMembershipOptions) {
    this.#options = options
    const { timing, clock, logger } = options
    this.#beats = new Periodic({
      name: 'node registration',
      everyMs: timing.beatMs,
      backoff: REJOIN,
      tick: (signal) => this.#tick(signal),
      // Errors of the node's own connection are no AppError, so an outage cannot be distinguished from a bug.
      isOutage: () => true,
      clock,
      logger,
    })
  }

  /** Joins for the first time; rejects when that fails, since a server that cannot start should say so. */
  async start(): Promise<void> {
    await this.#join()
    this.#beats.start()
  }

  /** Leaves the list for good. Nothing may run any more. */
  async stop(): Promise<void> {
    await this.#beats.stop()
    const membership = this.#membership
    if (membership === null) return
    // Without the database there is nothing to leave: others see by the lock that this node is gone.
    await leaveNode(this.#options.database, membership.node, { hasDied: false }).catch((error: unknown) =>
      this.#options.logger.warn({ error: reasonOf(error) }, 'could not deregister node; other nodes will evict it'),
    )
    await this.#close(membership.client)
  }

  /** Beats, or joins again; throws when it cannot. */
  async #tick(signal: AbortSignal): Promise<'again' | void> {
    if (this.#membership === null) return this.#rejoin()
    if ((await this.#beat(this.#membership)) || signal.aborted) return
    await this.#lose(this.#membership)
    return 'again'
  }

  async #beat(membership: Membership): Promise<boolean> {
    const { logger, commands, timing, clock } = this.#options
    const { node, client } = membership
    const sentAtMs = machineMs()
    try {
      const isListed = await beat(client, node)
      if (isListed) {
        membership.beatenMs = clock.monotonicMs()
        commands.allowUntil(sentAtMs + timing.permitMs)
      } else {
        logger.error({ node }, 'node was evicted; its turns continue elsewhere')
      }
      return isListed
    } catch (error) {
      logger.error(
        { node, error: reasonOf(this.#broken ?? error) },
        'beat failed; running turns stop and resume from their rows',
      )
      return false
    }
  }

  async #lose({ node, client, beatenMs }: Membership): Promise<void> {
    const { timing, clock, logger, onLost } = this.#options
    const stalledMs = clock.monotonicMs() - beatenMs - timing.beatMs - timing.beatTimeoutMs
    const hasStalled = stalledMs > timing.stallMs
    if (hasStalled)
      logger.error(
        { node, stalledMs },
        'process stood still for longer than other nodes wait; it gives up its sessions',
      )
    this.#membership = null
    onLost()
    const hasEnded = await this.#endCommands()
    await this.#close(client)
    if (!hasEnded) logger.error({ node }, 'commands could not be ended; other nodes wait until they must have ended')
    this.#left = hasEnded ? { node, hasDied: hasStalled } : null
  }

  /** False: it is unknown whether a command still runs. */
  async #endCommands(): Promise<boolean> {
    const { commands, timing, clock } = this.#options
    const inTime = new AbortController()
    const tooLate = clock.sleep(timing.endCommandsMs, inTime.signal).then(() => false)
    const hasEnded = await Promise.race([commands.endAll().then(() => true), tooLate])
    inTime.abort()
    return hasEnded
  }

  async #rejoin(): Promise<void> {
    const left = this.#left
    if (left !== null) await leaveNode(this.#options.database, left.node, left)
    await this.#join()
    this.#left = null
  }

  async #join(): Promise<void> {
    const { timing, clock, commands, home, onJoined } = this.#options
    const client = this.#open()
    try {
      await client.connect()
      const sentAtMs = machineMs()
      const node = await registerNode(client, { process: identityOfServer(home), host: hostname(), version: VERSION })
      commands.allowUntil(sentAtMs + timing.permitMs)
      this.#membership = { node, client, beatenMs: clock.monotonicMs() }
      onJoined(node)
    } catch (error) {
      await this.#close(client)
      throw error
    }
  }

  /** The end of the connection makes the next beat due, which fails then. */
  #open(): Client {
    const { beatTimeoutMs } = this.#options.timing
    this.#broken = null
    const client = new WritableClient({
      connectionString: this.#options.database.url,
      keepAlive: true,
      connectionTimeoutMillis: beatTimeoutMs,
      query_timeout: beatTimeoutMs,
      application_name: 'factotum node',
    })
    client.on('error', (error) => {
      this.#broken ??= error
      this.#beats.wake()
    })
    client.on('end', () => this.#beats.wake())
    return client
  }

  /** It is being given up: whether it still says good-bye makes no difference, and a peer that is gone says nothing. */
  async #close(client: Client): Promise<void> {
    const inTime = new AbortController()
    await Promise.race([client.end().catch(() => undefined), this.#options.clock.sleep(GOOD_BYE_MS, inTime.signal)])
    inTime.abort()
  }
}
