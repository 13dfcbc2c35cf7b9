/**
 * Sees that sketches have an index where the database server has pgvector, `[models] embedder` is set, and there are
 * more facts than can all be compared. Polls every minute, beside turns and embedding, which wait for none of it: until
 * the index is whole all sketches are compared, and again should it go.
 */
import { isOutage } from '../../core/errors.ts'
import type { Timing } from '../../config/timing.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import type { Database } from '../../store/database.ts'
import { COMPARED_ALL } from '../../store/embeddings/nearest-sketches.ts'
import { canIndex, makeSketchIndex, readSketchIndex } from '../../store/embeddings/sketch-index.ts'
import type { Embedder } from './embedder.ts'

export interface SketchIndexJobOptions {
  readonly database: Database
  readonly embedder: Pick<Embedder, 'choice'>
  readonly timing: Pick<Timing, 'sketchIndexPollMs'>
  readonly clock: Clock
  readonly logger: Logger
  /** More vectors are worth an index; for tests. */
  readonly comparedAll?: number
}

/** A build that failed would most likely fail again. */
const BACKOFF = { firstMs: 60_000, maxMs: 3_600_000 }

export class SketchIndexJob {
  readonly #options: SketchIndexJobOptions
  readonly #poll: Periodic
  #isForbidden = false

  constructor(options: SketchIndexJobOptions) {
    this.#options = options
    const { timing, clock, logger } = options
    this.#poll = new Periodic({
      name: 'indexing of sketches',
      everyMs: timing.sketchIndexPollMs,
      tick: (signal) => this.#tick(signal),
      isOutage,
      clock,
      logger,
      backoff: BACKOFF,
    })
  }

  start(): void {
    this.#poll.start()
  }

  /** A build under way is left to the database. Repeatable; never rejects. */
  async stop(): Promise<void> {
    await this.#poll.stop()
  }

  /** For tests, which need not wait for the poll. Never rejects. */
  tick(): Promise<void> {
    return this.#poll.tick()
  }

  async #tick(signal: AbortSignal): Promise<void> {
    const { database, embedder, logger, comparedAll = COMPARED_ALL } = this.#options
    if (embedder.choice === null) return
    const { created, available, index, isWorthwhile } = await readSketchIndex(database, comparedAll)
    const version = created ?? available
    if (!isWorthwhile || index === 'READY' || version === null || !canIndex(version)) return
    const beganMs = this.#options.clock.monotonicMs()
    const became = await makeSketchIndex(database.url, signal)
    const tookMs = Math.round(this.#options.clock.monotonicMs() - beganMs)
    if (became === 'MADE') logger.info({ pgvector: version, tookMs }, 'sketches of facts have an index by pgvector')
    if (became === 'FORBIDDEN') this.#forbidden(created)
  }

  /** Said once; tried again all the same, as an operator may have helped meanwhile. */
  #forbidden(created: string | null): void {
    if (!this.#isForbidden)
      this.#options.logger.warn(
        created === null
          ? 'pgvector is there, but this role may not create it; all sketches are compared. As a superuser, in this database: CREATE EXTENSION vector'
          : 'this role may make no index of fact_embeddings; all sketches are compared. Make it the owner of that table',
      )
    this.#isForbidden = true
  }
}
