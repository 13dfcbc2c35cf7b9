/**
 * What makes this process a node: a connection of its own that holds the node's advisory lock and beats. When the connection
 * breaks or the beat finds the node struck off the list, the membership is lost (`onLost`), and it joins again under a new id
 * as soon as the database lets it.
 */
import { Client } from 'pg'
import { messageOf } from '../core/errors.ts'
import { backoffMs } from '../platform/backoff.ts'
import type { Clock } from '../platform/clock.ts'
import { randomFraction } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import { beat, registerNode } from '../store/work-queue.ts'

export interface NodeMembershipOptions {
  readonly url: string
  readonly clock: Clock
  readonly logger: Logger
  readonly onJoined: (node: number) => void
  readonly onLost: () => void
}

const BEAT_MS = 2000
/** A beat that gets no answer for this long counts as a broken connection: well before others take the node for dead. */
const BEAT_TIMEOUT_MS = 5000
const GOOD_BYE_MS = 1000
const REJOIN = { firstMs: 200, maxMs: 2000 }

export class NodeMembership {
  readonly #options: NodeMembershipOptions
  readonly #stopping = new AbortController()
  #connection: Client | null = null
  #keeping: Promise<void> = Promise.resolve()

  constructor(options: NodeMembershipOptions) {
    this.#options = options
  }

  /** Joins for the first time; rejects when that fails, since a server that cannot start should say so. */
  async start(): Promise<void> {
    const node = await this.#join()
    this.#keeping = this.#keep(node)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#keeping
    await this.#leave()
  }

  async #join(): Promise<number> {
    const connection = new Client({
      connectionString: this.#options.url,
      keepAlive: true,
      connectionTimeoutMillis: BEAT_TIMEOUT_MS,
      query_timeout: BEAT_TIMEOUT_MS,
      application_name: 'factotum node',
    })
    // What breaks shows in the next beat; without a listener the error would end the process.
    connection.on('error', (error) => this.#options.logger.warn({ error: messageOf(error) }, 'node connection broke'))
    this.#connection = connection
    await connection.connect()
    const node = await registerNode(connection)
    this.#options.onJoined(node)
    return node
  }

  async #leave(): Promise<void> {
    const connection = this.#connection
    this.#connection = null
    // It is being given up: whether it still says good-bye makes no difference, and a peer that is gone says nothing.
    const ended = connection?.end().catch(() => undefined)
    await Promise.race([ended, this.#options.clock.sleep(GOOD_BYE_MS)])
  }

  async #keep(first: number): Promise<void> {
    let node: number | null = first
    let failures = 0
    const { clock, logger } = this.#options
    while (!this.#stopping.signal.aborted) {
      await clock.sleep(node === null ? backoffMs(REJOIN, failures, randomFraction()) : BEAT_MS, this.#stopping.signal)
      if (this.#stopping.signal.aborted) return
      if (node !== null) {
        if (await this.#beats(node)) continue
        this.#options.onLost()
        await this.#leave()
        node = null
        failures = 0
      }
      try {
        node = await this.#join()
      } catch (error) {
        failures += 1
        logger.warn({ error: messageOf(error), failures }, 'cannot join the nodes; trying again')
        await this.#leave()
      }
    }
  }

  async #beats(node: number): Promise<boolean> {
    try {
      const alive = this.#connection !== null && (await beat(this.#connection, node))
      if (!alive) this.#options.logger.error({ node }, 'this node was taken for dead: its turns go on elsewhere')
      return alive
    } catch (error) {
      this.#options.logger.error(
        { error: messageOf(error) },
        'the database went away: running turns stop here and resume from their rows',
      )
      return false
    }
  }
}
