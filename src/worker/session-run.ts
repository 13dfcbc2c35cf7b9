/**
 * The run of one claimed session in this process: its open turns one after another, then the release. Turns of the
 * session cannot run anywhere else meanwhile; what is written after the lease was lost is refused by the fence.
 */
import { reasonOf } from '../platform/error-code.ts'
import { retried } from '../platform/waiting/retried.ts'
import type { Logger } from '../platform/logger.ts'
import { beginTurn, type BegunTurn } from '../store/turn/begin-turn.ts'
import { releaseSession } from '../store/turn/work-queue.ts'
import type { Conversations } from './conversations.ts'
import { StopState } from './stop-state.ts'
import type { Ending } from '../turn/turn-context.ts'
import { TurnAtHand, type TurnOptions } from './turn-at-hand.ts'

export interface SessionRunOptions extends TurnOptions {
  /** The first turn, when it was started together with the claim. */
  readonly begun: BegunTurn | null
  /** Asked when a turn has ended: whether the session's next one may follow at once, or others come first. */
  readonly mayGoOn: () => boolean
  /** Told what was said in each turn. */
  readonly conversations: Conversations
}

/** A run that broke off is tried again no sooner than this, so that a lasting failure does not spin. */
const BROKEN_DELAY_MS = 2000
const RELEASE_RETRY = { firstMs: 100, maxMs: 2000 }

/**
 * How the run came to its end: no turn is under way (what waits is claimed again), one was handed over, or one broken
 * off.
 */
type RunEnd = 'DRAINED' | 'HANDED_OVER' | 'BROKEN'

export class SessionRun {
  /** Resolves when nothing of the session runs here any more; never rejects. */
  readonly settled: Promise<void>
  readonly #options: SessionRunOptions
  readonly #logger: Logger
  /** The last that began; null: none has. */
  #turn: TurnAtHand | null = null
  readonly #stop = new StopState()

  constructor(options: SessionRunOptions) {
    this.#options = options
    this.#logger = options.logger.child({ sessionId: options.lease.sessionId })
    this.settled = this.#run()
  }

  /** Ends this turn if it is the running one. The session's next turn follows. */
  cancelTurn(turnId: string): void {
    if (turnId === this.#turn?.turnId) this.#turn.stop('CANCELLED')
  }

  /** Lets the running turn end, and takes no other. */
  finishTurnOnly(): void {
    this.#stop.raise('DRAIN')
  }

  /** Stops the running turn as it is, to be continued by another process. */
  handOver(): void {
    this.#stop.raise('HAND_OVER')
    this.#turn?.stop('HANDED_OVER')
  }

  /**
   * Stops the running turn without another write: this process is no longer the node that the lease names, others free
   * the session, and it may run elsewhere already.
   */
  abandon(): void {
    this.#stop.raise('LOST')
    this.#turn?.stop('LEASE_LOST')
  }

  async #run(): Promise<void> {
    const { secrets, lease } = this.#options
    const letGo = secrets.hold(lease.sessionId)
    let end: RunEnd = 'BROKEN'
    try {
      end = await this.#runTurns()
    } catch (error) {
      this.#logger.error({ err: error }, 'session run failed; its turn will be continued')
    }
    letGo()
    await this.#release(end)
  }

  /**
   * A session that is not released stays with this node for ever: this tries until it is done, or no longer its own.
   */
  async #release(end: RunEnd): Promise<void> {
    const { database, lease, clock } = this.#options
    const release = { unfinished: end !== 'DRAINED', delayMs: end === 'BROKEN' ? BROKEN_DELAY_MS : 0 }
    await retried(() => releaseSession(database, lease, release), {
      clock,
      pauses: RELEASE_RETRY,
      isWanted: () => !this.#stop.reaches('LOST') && !this.#isReleased(),
      onFailure: (error) => this.#logger.warn({ error: reasonOf(error) }, 'session could not be released; retrying'),
    })
  }

  async #runTurns(): Promise<RunEnd> {
    const { database, lease, clock, config, mayGoOn, conversations } = this.#options
    let first = this.#options.begun
    while (!this.#stop.reaches('DRAIN') && !this.#isReleased()) {
      const limits = config.current().settings
      const held = conversations.heldOf(lease.sessionId)
      const begun = first ?? (await beginTurn(database, lease, { at: clock.now(), limits, held }))
      first = null
      if (begun.kind === 'Nothing') return 'DRAINED'
      const ending = await this.#runTurn(begun)
      if (ending.kind !== 'Stopped' || ending.reason === 'CANCELLED') {
        if (mayGoOn()) continue
        return 'DRAINED'
      }
      return ending.reason === 'HANDED_OVER' ? 'HANDED_OVER' : 'BROKEN'
    }
    return 'DRAINED'
  }

  async #runTurn(begun: BegunTurn): Promise<Ending> {
    const { lease, feed, conversations } = this.#options
    feed.published(begun.events)
    const conversation = conversations.begun(lease.sessionId)
    const turn = new TurnAtHand({ ...this.#options, logger: this.#logger }, begun, conversation.runtime)
    this.#turn = turn
    try {
      if (this.#stop.reaches('LOST')) return { kind: 'Stopped', reason: 'LEASE_LOST' }
      if (this.#stop.reaches('HAND_OVER')) return { kind: 'Stopped', reason: 'HANDED_OVER' }
      return await turn.run()
    } finally {
      conversations.ended(lease.sessionId, conversation, turn.held)
    }
  }

  /** The last turn's end gave the session back. */
  #isReleased(): boolean {
    return this.#turn?.isReleased === true
  }
}
