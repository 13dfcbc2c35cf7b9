/**
 * Asks the model of `[models] embedder` what texts mean, and says what each call cost. Without one there is nothing to
 * ask, and nothing is. A failure is no failure of who asks: facts are found by their words then. The first one in a row
 * is logged, each is counted.
 */
import type { CallGate } from '../../agents/call-gate.ts'
import { costOf } from '../../agents/cost.ts'
import { modelKey } from '../../config/models/model-choice.ts'
import type { LiveConfig, ModelChoice } from '../../config/config.ts'
import { AppError } from '../../core/errors.ts'
import type { ModelCallRecord } from '../../core/model-call.ts'
import type { EmbeddingModel } from '../../model/embedding-model.ts'
import { NO_TOKENS, type TokenCounts } from '../../model/token-counts.ts'
import { ModelError } from '../../model/language-model.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import { isStopped } from '../../platform/waiting/is-stopped.ts'
import { endsOfText } from '../ends-of-text.ts'

export interface EmbedderOptions {
  readonly config: LiveConfig
  readonly model: EmbeddingModel
  readonly clock: Clock
  readonly logger: Logger
}

/** What texts mean to one model. */
export interface Meaning {
  /** "provider:model". */
  readonly model: string
  /** One for each text. */
  readonly vectors: readonly Float32Array[]
}

export interface Embedded {
  /** Null: there was no answer. */
  readonly meaning: Meaning | null
  /** Why there was none. */
  readonly error: AppError | null
  readonly calls: readonly ModelCallRecord[]
}

const NOT_ASKED: Embedded = { meaning: null, error: null, calls: [] }

/** How long a turn waits for the meaning of its message, at most. */
const PROMPT_DEADLINE_MS = 2000
/** After a failure turns do without for so long, so that each need not wait in vain. */
const PAUSE_MS = 15_000

export class Embedder {
  readonly #options: EmbedderOptions
  #isFailing = false
  #pausedUntilMs = 0

  constructor(options: EmbedderOptions) {
    this.#options = options
  }

  /** Null: none is set. */
  get choice(): ModelChoice | null {
    return this.#options.config.current().embedder
  }

  /** For a prompt, which waits two seconds at most. Never rejects. */
  async meaningOf(texts: readonly string[], gate: CallGate, signal: AbortSignal): Promise<Embedded> {
    if (this.choice === null || this.#options.clock.monotonicMs() < this.#pausedUntilMs) return NOT_ASKED
    if ((await gate([])) !== null) return NOT_ASKED
    const deadline = AbortSignal.timeout(PROMPT_DEADLINE_MS)
    const embedded = await this.embed(texts, AbortSignal.any([signal, deadline]))
    if (embedded.error !== null && !signal.aborted) this.#pausedUntilMs = this.#options.clock.monotonicMs() + PAUSE_MS
    return embedded
  }

  /** Rejects for bugs alone. `signal`: given up, which counts as silence of the provider. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded> {
    const { choice } = this
    if (choice === null || texts.length === 0) return NOT_ASKED
    const { config, model, clock } = this.#options
    const at = clock.now()
    const startedMs = clock.monotonicMs()
    const record = (status: string, { inputTokens, outputTokens, cachedTokens }: TokenCounts): ModelCallRecord => ({
      role: 'embedder',
      ...choice,
      status,
      inputTokens,
      outputTokens,
      cachedTokens,
      cost: costOf(config.current().prices.get(modelKey(choice)), { inputTokens, outputTokens, cachedTokens }),
      durationMs: Math.round(clock.monotonicMs() - startedMs),
      at,
      texts: null,
    })
    const { llmIdleTimeoutMs: idleTimeoutMs } = config.current().settings
    const asked = texts.map((text) => endsOfText(text).toWellFormed())
    const answer = await model.embed({ ...choice, texts: asked, idleTimeoutMs, signal }).catch(asAppError)
    if (answer instanceof AppError) {
      const code = answer.code === 'CANCELLED' ? 'MODEL_SILENT' : answer.code
      if (!isStopped(signal)) this.#failed(code, answer)
      const tokens = answer instanceof ModelError ? answer.tokens : NO_TOKENS
      return { meaning: null, error: answer, calls: [record(code, tokens)] }
    }
    this.#isFailing = false
    return { meaning: { model: modelKey(choice), vectors: answer.vectors }, error: null, calls: [record('OK', answer)] }
  }

  #failed(code: string, { message }: AppError): void {
    if (!this.#isFailing)
      this.#options.logger.warn({ code }, `the embedder gave no answer; facts are found by their words: ${message}`)
    this.#isFailing = true
  }
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
