/**
 * Takes the sessions that have work and runs their turns: one session at a time each, many sessions side by side,
 * across any number of processes. Registers this process as a node, keeps it alive, and takes over what dead nodes
 * left.
 *
 * States: `joining` (no node yet, or the database is away: nothing is claimed) → `working` → `draining` (stop: no new
 * turns; running ones get time to end, then are handed over) → `stopped`. From `working` back to `joining` when the
 * connection that makes it a node breaks: then others may take its sessions, so every running turn is stopped without
 * another write.
 */
import type { LiveConfig } from '../config/config.ts'
import { isOutage } from '../core/errors.ts'
import type { Timing } from '../config/timing.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { CommandService } from '../execution/run-command.ts'
import type { Clock } from '../platform/clock.ts'
import type { EventLoopLoad } from '../platform/event-loop-load.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Database } from '../store/database.ts'
import type { Lease } from '../store/turn/lease.ts'
import { takeSession, type BegunTurn } from '../store/turn/begin-turn.ts'
import type { AcceptResult, TurnStart } from '../store/intake/accept-message.ts'
import { Claimer } from '../store/turn/claim-sessions.ts'
import { findCancelledTurns } from '../store/turn/work-queue.ts'
import type { Conversations } from './conversations.ts'
import { Evictions, type EvictionsOptions } from './evictions.ts'
import { NodeMembership, type NodeMembershipOptions } from './node-membership.ts'
import type { SessionRun } from './session-run.ts'
import { TurnPace } from './turn-pace.ts'

export interface WorkerOptions {
  readonly database: Database
  /** FACTOTUM_HOME. */
  readonly home: string
  /**
   * What is wrong with FACTOTUM_HOME; null: nothing. While it cannot be used no turn begins here, as its commands would
   * fail.
   */
  readonly homeProblem: () => string | null
  readonly doorbell: Doorbell
  readonly config: LiveConfig
  readonly timing: Pick<Timing, 'workPollMs'> & NodeMembershipOptions['timing'] & EvictionsOptions['timing']
  readonly clock: Clock
  readonly logger: Logger
  /** Carries the node in each of its lines. */
  readonly logLines: { node: number | null }
  readonly commands: Pick<CommandService, 'allowUntil' | 'endAll'>
  readonly metrics: Pick<Metrics, 'claims' | 'takenOver'>
  readonly conversations: Pick<Conversations, 'heldOf' | 'stop'>
  /** Of this process's event loop: decides how many turns begin at once. */
  readonly load: Pick<EventLoopLoad, 'isBusy'>
  /**
   * Runs the open turns of a claimed session until none is left, it is stopped, or others wait (`mayGoOn`) once a turn
   * has ended. `begun`: the first is started already.
   */
  readonly startRun: (lease: Lease, begun: BegunTurn | null, mayGoOn: () => boolean) => Run
}

type Run = Pick<SessionRun, 'settled' | 'cancelTurn' | 'finishTurnOnly' | 'handOver' | 'abandon'>

/** What a session that is at work here takes of `max_concurrent_turns`. */
type Slot = {
  /** Notified of more work meanwhile: the session is taken again as soon as the slot is free. */
  again: boolean
} & (
  | {
      /** It is being claimed on its own. None is begun while a claim of many is under way. */
      readonly phase: 'claiming'
      readonly settled: Promise<void>
    }
  | { readonly phase: 'running'; readonly run: Run }
)

/** How a session came here: with the message that it was idle for, by a notification, or by a poll for work. */
type ClaimedBy = 'message' | 'notified' | 'polled'

export class Worker {
  readonly #options: WorkerOptions
  readonly #membership: NodeMembership
  readonly #evictions: Evictions
  /** By session. */
  readonly #slots = new Map<string, Slot>()
  #state: 'joining' | 'working' | 'draining' | 'stopped' = 'joining'
  #node = 0
  readonly #claims = new Coalesced(() => this.#claim())
  /** There may be work that is not notified again: it was more than there were free slots for. */
  #hasBacklog = false
  /** Sessions wait for a place in their users' shares, which a turn that ends may leave. */
  #hasHeldBack = false
  readonly #claimer: Claimer
  readonly #cleanups: (() => void)[] = []
  readonly #pace: TurnPace
  readonly #poll: Periodic

  constructor(options: WorkerOptions) {
    this.#options = options
    const { database, home, commands, timing, clock, logger, load } = options
    this.#claimer = new Claimer(database)
    this.#membership = new NodeMembership({
      database,
      home,
      commands,
      timing,
      clock,
      logger,
      onJoined: (node) => this.#joined(node),
      onLost: () => this.#lost(),
    })
    this.#evictions = new Evictions({ database, home, timing, clock, logger })
    const onNext = (): void => {
      if (this.#hasBacklog) this.#wake()
    }
    this.#pace = new TurnPace({ load, clock, onNext })
    this.#poll = new Periodic({
      name: 'poll for cancelled turns and dead nodes',
      everyMs: timing.workPollMs,
      backoff: { firstMs: timing.workPollMs, maxMs: timing.workPollMs },
      tick: () => this.#tick(),
      isOutage,
      clock,
      logger,
    })
  }

  /** No new turns are taken here, and none will be. */
  get isDraining(): boolean {
    return this.#state === 'draining' || this.#state === 'stopped'
  }

  /** Joins the nodes and begins to work. Resolves once this process is a node. */
  async start(): Promise<void> {
    const { doorbell } = this.#options
    this.#cleanups.push(
      doorbell.on('work', ({ sessionId }) => this.#take(sessionId)),
      doorbell.on('cancel', ({ sessionId, turnId }) => this.#cancel(sessionId, turnId)),
      doorbell.on('resync', () => this.#wake()),
    )
    await this.#membership.start()
    this.#poll.start()
  }

  /**
   * No new turns; running ones may go on for `drain_timeout`, then they are handed over: stopped as they are, to be
   * continued by another process. Resolves when nothing runs here any more and the node is off the list.
   */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return
    const { clock, config, logger } = this.#options
    this.#state = 'draining'
    // A claim that commits after this node has left the list would give sessions to an owner that is gone.
    const claiming = [...this.#slots.values()].flatMap((slot) => (slot.phase === 'claiming' ? [slot.settled] : []))
    await Promise.all([this.#claims.settled(), ...claiming])
    if (this.#slots.size > 0) {
      const { drainTimeoutMs } = config.current().settings
      logger.info({ turns: this.#slots.size, drainTimeoutMs }, 'draining: waiting for running turns')
      const cancel = clock.after(drainTimeoutMs, () => {
        for (const run of this.#runs()) run.handOver()
      })
      for (const run of this.#runs()) run.finishTurnOnly()
      while (this.#slots.size > 0) await Promise.all(this.#runs().map((run) => run.settled))
      cancel()
    }
    this.#state = 'stopped'
    for (const cleanup of this.#cleanups) cleanup()
    this.#options.conversations.stop()
    await this.#poll.stop()
    await this.#membership.stop()
  }

  #joined(node: number): void {
    if (this.#state !== 'joining') return
    this.#node = node
    this.#state = 'working'
    this.#options.logLines.node = node
    this.#options.logger.info({ node }, 'node joined')
    this.#wake()
  }

  #lost(): void {
    if (this.#state === 'working') this.#state = 'joining'
    for (const run of this.#runs()) run.abandon()
  }

  #runs(): Run[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.phase === 'running' ? [slot.run] : []))
  }

  #cancel(sessionId: string, turnId: string): void {
    const slot = this.#slots.get(sessionId)
    if (slot?.phase === 'running') slot.run.cancelTurn(turnId)
  }

  /** While draining too: a turn that is being waited for can still be cancelled. */
  async #tick(): Promise<void> {
    const { database, doorbell, metrics } = this.#options
    if (this.#state === 'joining' || this.#state === 'stopped') return
    if (this.#slots.size > 0) {
      const cancelled = await findCancelledTurns(database, this.#node)
      for (const { sessionId, turnId } of cancelled) this.#cancel(sessionId, turnId)
    }
    if (this.#state !== 'working') return
    const freed = await this.#evictions.poll(this.#node)
    metrics.takenOver.inc(freed)
    if (freed > 0) doorbell.ring({ kind: 'work', sessionId: '' })
    this.#wake()
  }

  /** The session has work; empty: any may have. Returns whether this process takes care of it. */
  #take(sessionId: string): boolean {
    if (this.#state !== 'working') return false
    const slot = this.#slots.get(sessionId)
    if (slot !== undefined) {
      slot.again = true
      return true
    }
    if (sessionId === '' || !this.#isShortWayOpen()) return this.#wake()
    this.#holdSlot(sessionId, this.#claimOne(sessionId))
    return true
  }

  /** Who has waited longer comes first; and a claim would take for forgotten what was taken behind its back. */
  #isShortWayOpen(): boolean {
    return this.#state === 'working' && !this.#hasBacklog && !this.#claims.isBusy && this.#freeSlots() > 0
  }

  /**
   * The shortest way: the statement of `accept`, which stores a message, takes its session along and begins the turn,
   * if `accept` is told who runs it. It is told nothing while the session is at work here, or others wait.
   */
  async takeWith<Result extends AcceptResult>(
    sessionId: string,
    accept: (start: Omit<TurnStart, 'limits'> | null) => Promise<Result>,
  ): Promise<Result> {
    this.#pace.messageComes()
    if (this.#slots.has(sessionId) || !this.#isShortWayOpen()) return accept(null)
    const accepting = accept({ node: this.#node, held: this.#options.conversations.heldOf(sessionId) })
    this.#holdSlot(sessionId, this.#claimWith(accepting))
    return accepting
  }

  /**
   * The session has a slot while it is claimed. `claim`: whether it runs by then. If not, this slot alone is freed: a
   * claim of many may have taken the session meanwhile, and it runs.
   */
  #holdSlot(sessionId: string, claim: Promise<boolean>): void {
    const settled = claim.then((runs) => (runs ? undefined : this.#free(sessionId, slot)))
    const slot: Slot = { phase: 'claiming', settled, again: false }
    this.#pace.begun()
    this.#slots.set(sessionId, slot)
  }

  async #claimWith(accepting: Promise<AcceptResult>): Promise<boolean> {
    // The caller handles a failure; a session that was taken all the same is found by a claim.
    const result = await accepting.catch(() => null)
    const taken = result?.kind === 'Accepted' ? result.taken : null
    if (taken !== null) this.#run(taken.lease, { begun: taken.begun, way: 'message' })
    return taken !== null
  }

  /** The short way from a message to its turn: one statement. What it cannot start is left to a claim. */
  async #claimOne(sessionId: string): Promise<boolean> {
    const { database, logger, clock, config, conversations } = this.#options
    const limits = config.current().settings
    const free = { sessionId, node: this.#node }
    try {
      const taken = await takeSession(database, free, {
        at: clock.now(),
        limits,
        held: conversations.heldOf(sessionId),
      })
      if (taken !== null) this.#run(taken.lease, { begun: taken.begun, way: 'notified' })
      else this.#hasBacklog = true
      return taken !== null
    } catch (error) {
      logger.warn({ sessionId, error: reasonOf(error) }, 'session could not be claimed; the next poll retries')
      return false
    }
  }

  /** Claims while there are free slots and work. Returns whether there are free slots. */
  #wake(): boolean {
    if (this.#state !== 'working') return false
    if (this.#freeSlots() <= 0) {
      this.#hasBacklog = true
      return false
    }
    void this.#claims.run()
    return true
  }

  #freeSlots(): number {
    if (this.#options.homeProblem() !== null) return 0
    const { maxConcurrentTurns } = this.#options.config.current().settings
    return this.#pace.allowed(maxConcurrentTurns - this.#slots.size, this.#slots.size)
  }

  async #claim(): Promise<void> {
    const { config, logger } = this.#options
    const limit = this.#freeSlots()
    if (this.#state !== 'working') return
    if (limit <= 0) {
      this.#hasBacklog = true
      return
    }
    try {
      const share = config.current().settings.maxRunningPerUser
      const { leases, left } = await this.#claimer.claim(this.#node, { limit, held: [...this.#slots.keys()], share })
      this.#hasBacklog = leases.length === limit
      this.#hasHeldBack = left
      for (const lease of leases) this.#run(lease, { begun: null, way: 'polled' })
    } catch (error) {
      logger.warn({ error: reasonOf(error) }, 'claim failed; the next poll retries')
    }
  }

  #run(lease: Lease, { begun, way }: { readonly begun: BegunTurn | null; readonly way: ClaimedBy }): void {
    const { sessionId } = lease
    const { startRun, homeProblem, metrics } = this.#options
    metrics.claims.inc({ way })
    const run = startRun(lease, begun, () => !this.#hasBacklog && !this.#hasHeldBack && homeProblem() === null)
    const slot: Slot = { phase: 'running', run, again: this.#slots.get(sessionId)?.again ?? false }
    this.#pace.begun()
    this.#slots.set(sessionId, slot)
    if (this.#state === 'joining' || lease.node !== this.#node) run.abandon()
    if (this.#state === 'draining') run.handOver()
    void run.settled.then(() => this.#free(sessionId, slot))
  }

  #free(sessionId: string, slot: Slot): void {
    // After a lost membership the session may already run here again, under a new lease.
    if (this.#slots.get(sessionId) === slot) this.#slots.delete(sessionId)
    if (slot.again) this.#take(sessionId)
    else if (this.#hasBacklog || this.#hasHeldBack) this.#wake()
  }
}
