/**
 * Takes the sessions that have work and runs their turns: one session at a time each, many sessions side by side, across any
 * number of processes. Registers this process as a node, keeps it alive, and takes over what dead nodes left.
 *
 * States: `joining` (no node yet, or the database is away: nothing is claimed) → `working` → `draining` (stop: no new turns;
 * running ones get time to end, then are handed over) → `stopped`. From `working` back to `joining` when the connection that
 * makes it a node breaks: then others may take its sessions, so every running turn is stopped without another write.
 */
import type { LiveConfig } from '../config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { CommandService } from '../execution/run-command.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Database } from '../store/database.ts'
import type { Lease } from '../store/turn/turn-commit.ts'
import { takeSession, type BegunTurn } from '../store/turn/begin-turn.ts'
import type { AcceptResult } from '../store/intake/intake-message.ts'
import { Claimer } from '../store/turn/claim-sessions.ts'
import { findCancelledTurns } from '../store/turn/work-queue.ts'
import { Evictions } from './evictions.ts'
import { NodeMembership } from './node-membership.ts'
import type { SessionRun } from './session-run.ts'

export interface WorkerOptions {
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  readonly doorbell: Doorbell
  readonly config: LiveConfig
  readonly clock: Clock
  readonly logger: Logger
  readonly commands: Pick<CommandService, 'allowUntil' | 'endAll'>
  /**
   * Runs the open turns of a claimed session until none is left, it is stopped, or others wait (`mayGoOn`) once a turn has ended.
   * `begun`: the first is started already.
   */
  readonly startRun: (lease: Lease, begun: BegunTurn | null, mayGoOn: () => boolean) => SessionRun
}

/** Safety net: news comes by doorbell; this finds what lost news would have told, and the sessions of dead nodes. */
const POLL_MS = 500

export class Worker {
  readonly #options: WorkerOptions
  readonly #membership: NodeMembership
  readonly #evictions: Evictions
  readonly #runs = new Map<string, SessionRun>()
  #state: 'joining' | 'working' | 'draining' | 'stopped' = 'joining'
  #node = 0
  /** Sessions that are being claimed one by one, as news told of them. None is begun while a claim is under way. */
  readonly #taking = new Map<string, Promise<void>>()
  #claiming: Promise<void> | null = null
  #claimAgain = false
  /** Sessions that were told to have work while they ran or were being taken here. */
  readonly #toldMeanwhile = new Set<string>()
  /** There may be work of which nobody will tell again: it was more than there was room for. */
  #hasBacklog = false
  /** Sessions wait for a place in their users' shares, which a turn that ends may leave. */
  #hasHeldBack = false
  readonly #claimer: Claimer
  readonly #cleanups: (() => void)[] = []
  #cancelPoll: () => void = () => undefined
  #looking: Promise<void> = Promise.resolve()

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#claimer = new Claimer(options.database)
    this.#membership = new NodeMembership({
      ...options,
      onJoined: (node) => this.#joined(node),
      onLost: () => this.#lost(),
    })
    this.#evictions = new Evictions(options)
  }

  /** Turns running in this process. */
  get running(): number {
    return this.#runs.size
  }

  /** No new turns are taken here, and none will be. */
  get isDraining(): boolean {
    return this.#state === 'draining' || this.#state === 'stopped'
  }

  /** Joins the nodes and begins to work. Resolves once this process is a node. */
  async start(): Promise<void> {
    const { doorbell } = this.#options
    this.#cleanups.push(
      doorbell.on('work', (news) => this.#hear(news.sessionId)),
      doorbell.on('cancel', (news) => this.#runs.get(news.sessionId)?.cancelTurn(news.turnId)),
      doorbell.on('resync', () => this.#wake()),
    )
    await this.#membership.start()
  }

  /**
   * No new turns; running ones may go on for `drain_timeout`, then they are handed over: stopped as they are, to be continued
   * by another process. Resolves when nothing runs here any more and the node is off the list.
   */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return
    const { clock, config, logger } = this.#options
    this.#state = 'draining'
    // What it has claimed would belong to nobody once this node is off the list.
    await Promise.all([this.#claiming, ...this.#taking.values()])
    if (this.#runs.size > 0) {
      const { drainTimeoutMs } = config.current().settings
      logger.info({ turns: this.#runs.size, drainTimeoutMs }, 'draining: waiting for running turns')
      const cancel = clock.after(drainTimeoutMs, () => {
        for (const run of this.#runs.values()) run.handOver()
      })
      for (const run of this.#runs.values()) run.finishTurnOnly()
      while (this.#runs.size > 0) await Promise.all([...this.#runs.values()].map((run) => run.settled))
      cancel()
    }
    this.#state = 'stopped'
    for (const cleanup of this.#cleanups) cleanup()
    this.#cancelPoll()
    await this.#looking
    await this.#membership.stop()
  }

  #joined(node: number): void {
    if (this.#state !== 'joining') return
    this.#node = node
    this.#state = 'working'
    this.#options.logger.info({ node }, 'node joined')
    this.#poll()
    this.#wake()
  }

  #lost(): void {
    if (this.#state === 'working') this.#state = 'joining'
    this.#cancelPoll()
    for (const run of this.#runs.values()) run.abandon()
  }

  #poll(): void {
    this.#cancelPoll()
    // While draining too: a turn that is being waited for can still be cancelled.
    if (this.#state === 'joining' || this.#state === 'stopped') return
    this.#cancelPoll = this.#options.clock.after(POLL_MS, () => {
      this.#looking = this.#look().finally(() => this.#poll())
    })
  }

  async #look(): Promise<void> {
    const { database, logger, doorbell } = this.#options
    try {
      if (this.#runs.size > 0) {
        const cancelled = await findCancelledTurns(database, this.#node)
        for (const { sessionId, turnId } of cancelled) this.#runs.get(sessionId)?.cancelTurn(turnId)
      }
      if (this.#state !== 'working') return
      const freed = await this.#evictions.look(this.#node)
      if (freed > 0) doorbell.ring({ kind: 'work', sessionId: '' })
      this.#wake()
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'looking for what news did not tell failed')
    }
  }

  /** News of a session that has work. Returns whether this process sees to it. */
  #hear(sessionId: string): boolean {
    if (this.#state !== 'working') return false
    if (this.#runs.has(sessionId) || this.#taking.has(sessionId)) {
      this.#toldMeanwhile.add(sessionId)
      return true
    }
    if (sessionId === '' || !this.#isShortWayOpen()) return this.#wake()
    this.#taking.set(sessionId, this.#take(sessionId))
    return true
  }

  /** Who has waited longer comes first; and a claim would take for forgotten what was taken behind its back. */
  #isShortWayOpen(): boolean {
    return this.#state === 'working' && !this.#hasBacklog && this.#claiming === null && this.#room() > 0
  }

  /**
   * The shortest way: the statement of `accept`, which stores a message, takes its session along and begins the turn, if `accept` is
   * given a node. It is given none while the session is at work here, or others wait.
   */
  async takeWith<Result extends AcceptResult>(
    sessionId: string,
    accept: (node: number | null) => Promise<Result>,
  ): Promise<Result> {
    const isBusy = this.#runs.has(sessionId) || this.#taking.has(sessionId)
    if (isBusy || !this.#isShortWayOpen()) return accept(null)
    const accepting = accept(this.#node)
    this.#taking.set(sessionId, this.#runTaken(sessionId, accepting))
    return accepting
  }

  async #runTaken(sessionId: string, accepting: Promise<AcceptResult>): Promise<void> {
    // Whoever asked is told of a failure; a session that was taken all the same is found by a claim.
    const result = await accepting.catch(() => null)
    this.#taking.delete(sessionId)
    if (result?.kind === 'Accepted' && result.taken !== null) this.#run(result.taken.lease, result.taken.begun)
    else if (this.#toldMeanwhile.delete(sessionId)) this.#hear(sessionId)
  }

  /** The short way from a message to its turn: one statement. What it cannot start is left to a claim. */
  async #take(sessionId: string): Promise<void> {
    const { database, logger, clock, config } = this.#options
    const limits = config.current().settings
    try {
      const free = { sessionId, node: this.#node }
      const taken = await takeSession(database, free, { at: clock.now(), limits })
      if (taken === null) this.#wake()
      else this.#run(taken.lease, taken.begun)
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'taking a session failed')
    }
    this.#taking.delete(sessionId)
  }

  /** Claims while there is room and work. Returns whether there is room. */
  #wake(): boolean {
    if (this.#state !== 'working') return false
    if (this.#room() <= 0) {
      this.#hasBacklog = true
      return false
    }
    this.#claimAgain = true
    this.#claiming ??= this.#claim()
    return true
  }

  #room(): number {
    return this.#options.config.current().settings.maxConcurrentTurns - this.#runs.size - this.#taking.size
  }

  async #claim(): Promise<void> {
    const { config, logger } = this.#options
    while (this.#claimAgain && this.#state === 'working' && this.#room() > 0) {
      this.#claimAgain = false
      const limit = this.#room()
      const held = [...this.#runs.keys(), ...this.#taking.keys()]
      try {
        const share = config.current().settings.maxRunningPerUser
        const { leases, left } = await this.#claimer.claim(this.#node, { limit, held, share })
        this.#hasBacklog = leases.length === limit
        this.#hasHeldBack = left
        for (const lease of leases) this.#run(lease, null)
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'claiming work failed')
      }
    }
    this.#claiming = null
  }

  #run(lease: Lease, begun: BegunTurn | null): void {
    const { sessionId } = lease
    const run = this.#options.startRun(lease, begun, () => !this.#hasBacklog && !this.#hasHeldBack)
    this.#runs.set(sessionId, run)
    if (this.#state === 'joining' || lease.node !== this.#node) run.abandon()
    if (this.#state === 'draining') run.handOver()
    void run.settled.then(() => {
      // After a lost membership the session may already run here again, under a new lease.
      if (this.#runs.get(sessionId) === run) this.#runs.delete(sessionId)
      if (this.#toldMeanwhile.delete(sessionId)) this.#hear(sessionId)
      else if (this.#hasBacklog || this.#hasHeldBack) this.#wake()
    })
  }
}
