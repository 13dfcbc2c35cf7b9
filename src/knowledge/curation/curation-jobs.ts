/**
 * Sees that what checkpoints have learned is judged soon, without a turn: polls every second for jobs, and does one
 * after another. All state is in rows: when a process dies, another one, or the next start, goes on.
 */
import { AppError, isOutage, messageOf } from '../../core/errors.ts'
import { randomHex } from '../../platform/id.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import {
  claimCuration,
  CURATION_DEADLINE_MS,
  endCuration,
  type CurationClaim,
} from '../../store/knowledge/curation-jobs.ts'
import type { CheckpointerOptions } from '../checkpoints/checkpointer.ts'
import { curateSession } from './curate-session.ts'

export class CurationJobs {
  readonly #options: CheckpointerOptions
  readonly #stopping = new AbortController()
  readonly #poll: Periodic

  constructor(options: CheckpointerOptions) {
    this.#options = options
    const { timing, clock, logger } = options
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
      const claim = await claimCuration(this.#options.database)
      if (claim === null) return
      await this.#run(claim)
    }
  }

  /** A failure of the world leaves the claim, which runs out. */
  async #run(claim: CurationClaim): Promise<void> {
    const { feed, doorbell, logger } = this.#options
    const { sessionId } = claim
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(CURATION_DEADLINE_MS)])
    try {
      const { changedIds, events } = await curateSession(this.#options, claim, signal)
      feed.published(events)
      for (const id of changedIds) doorbell.ring({ kind: 'row', id })
    } catch (error) {
      if (error instanceof AppError) logger.warn({ sessionId, error: messageOf(error) }, 'curation failed; retrying')
      else await this.#giveUp(claim, error)
    }
  }

  /** After a bug: the session's next turn or checkpoint tries again. */
  async #giveUp({ sessionId, runId }: CurationClaim, error: unknown): Promise<void> {
    const { database, logger } = this.#options
    logger.error({ err: error, sessionId, correlationId: randomHex(8) }, 'a bug ended a curation')
    await endCuration(database, runId)
  }
}
