/**
 * Sees that facts in use are embedded, wherever `[models] embedder` is set: those that change, at once (a trigger makes
 * them due), and all that have no vector of the model when it is first set, or becomes another one. Polls every second.
 * All state is in rows: what a process that died has claimed is done by any other after 150 seconds.
 */
import { countCalls } from '../../agents/count-calls.ts'
import { modelKey } from '../../config/models/model-choice.ts'
import { isOutage, type AppError } from '../../core/errors.ts'
import type { NewAuditEntry } from '../../core/audit-entry.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import { recordCalls } from '../../core/turn-write.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Timing } from '../../config/timing.ts'
import { randomHex } from '../../platform/random.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { Periodic } from '../../platform/waiting/periodic.ts'
import type { Database } from '../../store/database.ts'
import {
  claimUnembedded,
  findUnembedded,
  postponeUnembedded,
  removeOtherEmbeddings,
  storeEmbeddings,
  turnEmbeddingOff,
  turnEmbeddingOn,
  type DueFact,
} from '../../store/embeddings/fact-embeddings.ts'
import type { Embedder } from './embedder.ts'
import { sketchOf } from './sketch.ts'

export interface EmbeddingJobsOptions {
  readonly database: Database
  readonly embedder: Embedder
  /** Takes out the secrets that this process knows. */
  readonly redact: (text: string) => string
  readonly metrics: Metrics
  readonly timing: Pick<Timing, 'embeddingPollMs'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Texts in one call. */
const BATCH = 64
/** Facts that are made due at once. */
const FOUND_AT_ONCE = 5000
/** How often facts are searched for that no trigger has made due. */
const FIND_MISSING_MS = 300_000
/** The same once more, so many polls after it was turned on: what was being written then is committed by then. */
const SETTLED_POLLS = 15
const CALL_DEADLINE_MS = 120_000
/** A text that the model refuses is tried again so much later. */
const REFUSED_MS = 86_400_000
/** So many refused one after another, and none taken. */
const MAX_REFUSED = 3
/** While the provider is away. */
const BACKOFF = { firstMs: 5000, maxMs: 300_000 }

export class EmbeddingJobs {
  readonly #options: EmbeddingJobsOptions
  readonly #poll: Periodic
  /** For which facts are made due; '': for none; null: not yet known what the rows say. */
  #isOnFor: string | null = null
  #hasJustTurnedOn = true
  #findMissingAtMs = 0

  constructor(options: EmbeddingJobsOptions) {
    this.#options = options
    const { timing, clock, logger } = options
    const tick = (signal: AbortSignal): Promise<'again' | void> => this.#tick(signal)
    const backoff = BACKOFF
    this.#poll = new Periodic({
      name: 'embedding of facts',
      everyMs: timing.embeddingPollMs,
      tick,
      isOutage,
      clock,
      logger,
      backoff,
    })
  }

  start(): void {
    this.#poll.start()
  }

  /** A call under way is given up, and what it was for left to other processes. Repeatable; never rejects. */
  async stop(): Promise<void> {
    await this.#poll.stop()
  }

  async #tick(signal: AbortSignal): Promise<'again' | void> {
    const { embedder, database } = this.#options
    const { choice } = embedder
    const model = choice === null ? '' : modelKey(choice)
    if (this.#isOnFor !== model) {
      await (model === '' ? turnEmbeddingOff(database) : turnEmbeddingOn(database))
      this.#isOnFor = model
      this.#hasJustTurnedOn = true
      this.#findMissingAtMs = 0
    }
    if (model === '') return
    const runId = randomHex(16)
    const due = await claimUnembedded(database, runId, BATCH)
    if (due.length === 0) return this.#findMissing(model)
    await this.#embed(runId, due, signal)
    return 'again'
  }

  /** For what changed while nothing was made due, and when the model is another one. */
  async #findMissing(model: string): Promise<'again' | void> {
    const { database, clock, timing } = this.#options
    if (clock.monotonicMs() < this.#findMissingAtMs) return
    if ((await findUnembedded(database, model, FOUND_AT_ONCE)) > 0) return 'again'
    if ((await removeOtherEmbeddings(database, model)) > 0) return 'again'
    const pauseMs = this.#hasJustTurnedOn ? SETTLED_POLLS * timing.embeddingPollMs : FIND_MISSING_MS
    this.#findMissingAtMs = clock.monotonicMs() + pauseMs
    this.#hasJustTurnedOn = false
  }

  /**
   * Throws what the provider failed with, so that the poll pauses. A text that it refuses keeps none of the others from
   * it: then each is tried alone, and what is refused again waits a day. When the first few are, it is not the texts.
   */
  async #embed(runId: string, due: readonly DueFact[], signal: AbortSignal): Promise<void> {
    const error = await this.#try(runId, due, signal)
    if (error === null) return
    if (error.code !== 'MODEL_BAD_REQUEST') return this.#giveBack(runId, due, error)
    const refused: DueFact[] = []
    for (const [at, fact] of due.entries()) {
      const problem = due.length === 1 ? error : await this.#try(runId, [fact], signal)
      if (problem !== null) refused.push(fact)
      const isHopeless = due.length > 1 && refused.length === at + 1 && at + 1 >= MAX_REFUSED
      if (isHopeless || (problem !== null && problem.code !== 'MODEL_BAD_REQUEST'))
        return this.#giveBack(runId, due, problem ?? error)
    }
    const ids = refused.map(({ id }) => id)
    await postponeUnembedded(this.#options.database, { runId, ids, againInMs: REFUSED_MS })
    if (ids.length > 0)
      this.#options.logger.warn({ facts: ids, error: error.message }, 'facts could not be embedded; retrying tomorrow')
  }

  /** What is embedded already is no longer claimed. */
  async #giveBack(runId: string, due: readonly DueFact[], error: AppError): Promise<void> {
    const ids = due.map(({ id }) => id)
    await postponeUnembedded(this.#options.database, { runId, ids, againInMs: 0 })
    throw error
  }

  /** Null: they are embedded, or are to be asked about no more. */
  async #try(runId: string, due: readonly DueFact[], signal: AbortSignal): Promise<AppError | null> {
    const { embedder, redact, database, metrics } = this.#options
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(CALL_DEADLINE_MS)])
    const texts = due.map(({ content }) => redact(content))
    const { meaning, error, calls } = await embedder.embed(texts, deadline)
    const facts = due.flatMap((fact, at) => {
      const vector = meaning?.vectors[at]
      return vector === undefined ? [] : [{ ...fact, vector, sketch: sketchOf(vector) }]
    })
    await storeEmbeddings(database, { runId, model: meaning?.model ?? '', facts }, this.#audited(calls))
    countCalls(metrics, calls)
    return error
  }

  #audited(calls: readonly ModelCallRecord[]): readonly NewAuditEntry[] {
    return recordCalls(calls, { sessionId: null, turnId: null, actor: 'embedder', tokenName: null }).entries
  }
}
