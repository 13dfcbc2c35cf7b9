/**
 * Sees that what checkpoints have learned, and what turns have left, is judged soon, without a turn: polls every second
 * for jobs, and does one after another. All state is in rows: when a process dies, another one goes on, or the next
 * start.
 */
import { AppError, isOutage } from '../../core/errors.ts'
import type { Timing } from '../../config/timing.ts'
import type { Doorbell } from '../../events/doorbell.ts'
import type { Feed } from '../../events/feed.ts'
import { reasonOf } from '../../platform/error-code.ts'
import { randomHex } from '../../platform/random.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import {
  claimCuration,
  CURATION_DEADLINE_MS,
  endCuration,
  renewCuration,
  type CurationClaim,
} from '../../store/knowledge/curation-jobs.ts'
import type { CheckpointContext } from '../checkpoints/make-checkpoint.ts'
import { curateSession, failCuration } from './curate-session.ts'

export interface CurationJobsOptions {
  readonly context: CheckpointContext
  readonly feed: Pick<Feed, 'published'>
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly timing: Pick<Timing, 'curationPollMs'>
}

export class CurationJobs {
  readonly #options: CurationJobsOptions
  readonly #stopping = new AbortController()
  readonly #poll: Periodic

  constructor(options: CurationJobsOptions) {
    this.#options = options
    const { timing, context } = options
    const { clock, logger } = context
    const tick = (): Promise<void> => this.#tick()
    this.#poll = new Periodic({ name: 'curation poll', everyMs: timing.curationPollMs, tick, isOutage, clock, logger })
  }

  start(): void {
    this.#poll.start()
  }

  /** What is being judged is given up, and left to other processes. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#poll.stop()
  }

  async #tick(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const claim = await claimCuration(this.#options.context.database)
      if (claim === null) return
      await this.#runKept(claim)
    }
  }

  /** The claim is renewed meanwhile; one that is lost ends the run. */
  async #runKept(claim: CurationClaim): Promise<void> {
    const { context, timing } = this.#options
    const { database, clock, logger } = context
    const lost = new AbortController()
    const tick = async (): Promise<void> => {
      if (!(await renewCuration(database, claim))) lost.abort()
    }
    const everyMs = timing.curationPollMs
    const renewal = new Periodic({ name: 'curation renewal', everyMs, tick, isOutage, clock, logger })
    renewal.start()
    try {
      await this.#run(claim, lost.signal)
    } finally {
      await renewal.stop()
    }
  }

  /** Where the database is away the claim runs out. */
  async #run(claim: CurationClaim, lost: AbortSignal): Promise<void> {
    const { context, feed, doorbell } = this.#options
    const { logger } = context
    const { sessionId } = claim
    const signal = AbortSignal.any([this.#stopping.signal, lost, AbortSignal.timeout(CURATION_DEADLINE_MS)])
    try {
      const { changedIds, events } = await curateSession(context, claim, signal)
      feed.published(events)
      for (const id of changedIds) doorbell.ring({ kind: 'row', id })
    } catch (error) {
      if (!(error instanceof AppError)) return await this.#giveUp(claim, error)
      logger.warn({ sessionId, error: reasonOf(error) }, 'curation failed')
      await failCuration(context, claim)
    }
  }

  /** After a bug: the session's next turn or checkpoint tries again. */
  async #giveUp(claim: CurationClaim, error: unknown): Promise<void> {
    const { database, logger, metrics } = this.#options.context
    const { sessionId } = claim
    metrics.jobs.inc({ name: 'curation', outcome: 'failed' })
    logger.error({ err: error, sessionId, correlationId: randomHex(8) }, 'a bug ended a curation')
    await endCuration(database, claim)
  }
}
