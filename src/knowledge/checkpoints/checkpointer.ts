/**
 * Sees that checkpoints are made. Each process polls every second: it renews its claims, queues sessions that went idle
 * (less often), and claims what is due; the statements behind it (src/store/knowledge/checkpoints.ts) let one of them
 * act. All state is in rows: when a process dies, another one, or the next start, goes on.
 *
 * No turn waits for it, and it waits for none.
 */
import { AppError, isOutage } from '../../core/errors.ts'
import type { Timing } from '../../config/timing.ts'
import type { Doorbell } from '../../events/doorbell.ts'
import type { Feed } from '../../events/feed.ts'
import { reasonOf } from '../../platform/error-code.ts'
import { randomHex } from '../../platform/random.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import {
  claimCheckpoints,
  dueCheckpoint,
  dueIdleCheckpoints,
  renewCheckpoints,
} from '../../store/knowledge/checkpoints.ts'
import type { CheckpointClaim } from '../../store/knowledge/checkpoints.ts'
import { failCheckpoint, makeCheckpoint, type CheckpointContext } from './make-checkpoint.ts'

export interface CheckpointerOptions {
  readonly context: CheckpointContext
  readonly feed: Pick<Feed, 'published'>
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly timing: Pick<Timing, 'checkpointPollMs'>
}

/** At once, in this process: turns come first. */
const MAX_RUNNING = 4

interface Running {
  readonly claim: CheckpointClaim
  readonly run: AbortController
}

/** How often idle sessions are searched for: a tenth of what counts as idle, but … */
const POLL_IDLE = { leastMs: 1000, mostMs: 30_000 }

export class Checkpointer {
  readonly #options: CheckpointerOptions
  readonly #stopping = new AbortController()
  /** By run id. */
  readonly #running = new Map<string, Running>()
  readonly #owned = new Set<Promise<void>>()
  readonly #poll: Periodic
  #polledIdleMs: number | null = null

  constructor(options: CheckpointerOptions) {
    this.#options = options
    const { timing, context } = options
    const { clock, logger } = context
    const tick = (): Promise<void> => this.#tick()
    this.#poll = new Periodic({
      name: 'checkpoint poll',
      everyMs: timing.checkpointPollMs,
      tick,
      isOutage,
      clock,
      logger,
    })
  }

  start(): void {
    this.#poll.start()
  }

  /** What is being made is given up, and left to other processes. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    for (const { run } of this.#running.values()) run.abort()
    await this.#poll.stop()
    while (this.#owned.size > 0) await Promise.all(this.#owned)
  }

  /** One is due: polls at once. */
  wake(): void {
    this.#poll.wake()
  }

  /** A turn has ended, so many since the session's last checkpoint. Returns at once and never throws. */
  turnEnded(sessionId: string, turnsSince: number): void {
    const { introspectionTurns } = this.#options.context.config.current().settings
    const isDue = introspectionTurns > 0 && turnsSince >= introspectionTurns
    if (isDue && !this.#stopping.signal.aborted) this.#own(this.#turnLimit(sessionId))
  }

  /** Should this fail, the end of the next turn tells again. */
  async #turnLimit(sessionId: string): Promise<void> {
    const { database, logger } = this.#options.context
    try {
      await dueCheckpoint(database, sessionId, 'TURN_LIMIT')
      this.wake()
    } catch (error) {
      logger.warn(
        { sessionId, error: reasonOf(error) },
        'checkpoint could not be made due; the end of the next turn retries',
      )
    }
  }

  #own(work: Promise<void>): void {
    const owned = work.finally(() => this.#owned.delete(owned))
    this.#owned.add(owned)
  }

  async #tick(): Promise<void> {
    const { database } = this.#options.context
    await this.#renew()
    await this.#pollIdle()
    const places = MAX_RUNNING - this.#running.size
    if (places <= 0 || this.#stopping.signal.aborted) return
    for (const claim of await claimCheckpoints(database, places)) this.#begin(claim)
  }

  async #renew(): Promise<void> {
    if (this.#running.size === 0) return
    const held = [...this.#running.values()]
    const claims = held.map(({ claim }) => claim)
    const kept = new Set(await renewCheckpoints(this.#options.context.database, claims))
    for (const { claim, run } of held) if (!kept.has(claim.runId)) run.abort()
  }

  async #pollIdle(): Promise<void> {
    const { database, config, clock } = this.#options.context
    const { introspectionIdleMs: idleMs } = config.current().settings
    const everyMs = Math.min(Math.max(idleMs / 10, POLL_IDLE.leastMs), POLL_IDLE.mostMs)
    const nowMs = clock.monotonicMs()
    if (idleMs === 0 || (this.#polledIdleMs !== null && nowMs - this.#polledIdleMs < everyMs)) return
    await dueIdleCheckpoints(database, idleMs)
    this.#polledIdleMs = nowMs
  }

  #begin(claim: CheckpointClaim): void {
    const run = new AbortController()
    // Stopped while this was claimed: it is made to give the claim back.
    if (this.#stopping.signal.aborted) run.abort()
    this.#running.set(claim.runId, { claim, run })
    this.#own(this.#make(claim, run.signal))
  }

  async #make(claim: CheckpointClaim, signal: AbortSignal): Promise<void> {
    const { context, feed, doorbell } = this.#options
    try {
      const { events, learningIds } = await makeCheckpoint(context, claim, signal)
      feed.published(events)
      for (const id of learningIds) doorbell.ring({ kind: 'row', id })
    } catch (error) {
      await this.#breakOff(claim, error)
    }
    this.#running.delete(claim.runId)
    // There may be more than there were places for.
    this.wake()
  }

  /** A failure of the world leaves the claim, which runs out. */
  async #breakOff(claim: CheckpointClaim, error: unknown): Promise<void> {
    const { context, feed } = this.#options
    const { logger } = context
    const { sessionId } = claim
    if (error instanceof AppError) {
      logger.warn({ sessionId, error: error.message }, 'checkpoint failed; retrying')
      return
    }
    const correlationId = randomHex(8)
    logger.error({ err: error, sessionId, correlationId }, 'a bug ended a checkpoint')
    try {
      const failure = `The server made an error while it made this checkpoint (reference ${correlationId}).`
      feed.published(await failCheckpoint(context, claim, failure))
    } catch (worse) {
      logger.warn({ sessionId, error: reasonOf(worse) }, 'checkpoint could not be released; its claim expires')
    }
  }
}
