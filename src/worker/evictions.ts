/**
 * Takes over from nodes that died, hang, or lost their way to the database: evicts them, makes sure that their commands
 * have ended, and frees their sessions.
 *
 * What must hold: a session in which a command may run is freed only after that can be no more. For a process of this
 * machine that is seen, or seen to: its command hosts are gone. For any other it follows from its silence, since a
 * server ends its commands when it cannot beat, and its host when it hears nothing from the server.
 */
import { hasEndedAll, stateOfServer } from '../execution/process/server-identity.ts'
import type { Timing } from '../config/timing.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Database } from '../store/database.ts'
import { buryNode, evictNodes, freeSessions, type EvictedNode, type LastBeat } from '../store/nodes.ts'

export interface EvictionsOptions {
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly timing: Pick<Timing, 'silentMs' | 'missingMs'>
  readonly clock: Clock
  readonly logger: Logger
}

/** What is certain of an evicted node. */
interface Fate {
  /** No command of it runs any more. */
  readonly isOver: boolean
  /** It will not come back and say so itself. */
  readonly hasDied: boolean
}

interface SeenBeat extends LastBeat {
  /** When this process had read it for the first time. */
  readonly sinceMs: number
}

export class Evictions {
  readonly #options: EvictionsOptions
  #beats: ReadonlyMap<number, SeenBeat> = new Map()

  constructor(options: EvictionsOptions) {
    this.#options = options
  }

  /** As `self`, which is a node. Returns how many sessions were freed. */
  async poll(self: number): Promise<number> {
    const { database, timing, logger } = this.#options
    const { evicted, beats } = await evictNodes(database, self, { ...timing, unheard: this.#unheard() })
    this.#hear(beats)
    if (evicted.length === 0) return 0
    const over: number[] = []
    for (const node of evicted) {
      const fate = await this.#fateOf(node)
      if (fate.isOver) over.push(node.id)
      // Counted before a turn of it can go on.
      if (fate.hasDied) await buryNode(database, node.id)
    }
    const sessions = await freeSessions(database, over)
    if (sessions > 0)
      logger.warn({ sessions, nodes: evicted.map(({ id }) => id) }, 'a node died or hangs; its sessions are taken over')
    return sessions
  }

  /**
   * Which nodes had not beaten for `silentMs` by the last poll, while this process watched: when the database's clock
   * jumps, the last beats of all nodes seem old at once.
   */
  #unheard(): number[] {
    const { timing, clock } = this.#options
    const atMs = clock.monotonicMs() - timing.silentMs
    return [...this.#beats.values()].filter(({ sinceMs }) => sinceMs <= atMs).map(({ id }) => id)
  }

  #hear(beats: readonly LastBeat[]): void {
    const sinceMs = this.#options.clock.monotonicMs()
    const seen = beats.map((last): SeenBeat => {
      const known = this.#beats.get(last.id)
      return known?.beat === last.beat ? known : { ...last, sinceMs }
    })
    this.#beats = new Map(seen.map((last) => [last.id, last]))
  }

  async #fateOf({ process, isSilent, isMissing }: EvictedNode): Promise<Fate> {
    const { home, clock } = this.#options
    const state = stateOfServer(process)
    if (process === null || state === 'ELSEWHERE') return { isOver: isSilent, hasDied: isMissing }
    // One that runs may be ending its commands right now. One that is silent hangs, perhaps its host as well, which
    // then ends nothing.
    const isOver = (isSilent || state === 'GONE') && (await hasEndedAll(process, { home, force: isSilent, clock }))
    return { isOver, hasDied: isOver && state === 'GONE' }
  }
}
