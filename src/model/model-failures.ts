/**
 * What each model failed with last, until it answers again: for /ready and the server query. Of this process alone, and
 * in memory: the calls themselves are rows of the audit.
 */
import type { Config, ModelChoice } from '../config/config.ts'
import { isRuntime, modelKey } from '../config/models/model-choice.ts'
import { AppError, type AppErrorCode } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import type { LanguageModel } from './language-model.ts'

/** The last failure of one model. */
export interface ModelFailure extends ModelChoice {
  readonly at: Date
  readonly code: AppErrorCode
  /** What happened and what to change; may quote the provider, so secrets are to be taken out where it is shown. */
  readonly message: string
}

/** Sessions may name models of their own: of more than so many the oldest are forgotten. */
const MAX_MODELS = 100

/** Neither is a failure of the model: the caller gave up, or its provider has forgotten a conversation. */
const NO_FAILURES: ReadonlySet<AppErrorCode> = new Set(['CANCELLED', 'MODEL_CONVERSATION_LOST'])

/** One for each process; every call of its models is watched. */
export class ModelFailures {
  readonly #clock: Pick<Clock, 'now'>
  readonly #last = new Map<string, ModelFailure>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** The newest first, of models whose provider is still in the configuration. */
  list({ providers }: Pick<Config, 'providers'>): readonly ModelFailure[] {
    const all = [...this.#last.values()].toReversed()
    return all.filter(({ provider }) => providers.has(provider) || isRuntime(provider))
  }

  /** The call's own outcome, which is remembered. */
  async watch<Answer>({ provider, model }: ModelChoice, call: Promise<Answer>): Promise<Answer> {
    const key = modelKey({ provider, model })
    try {
      const answer = await call
      this.#last.delete(key)
      return answer
    } catch (error) {
      if (!(error instanceof AppError) || NO_FAILURES.has(error.code)) throw error
      this.#last.delete(key)
      this.#last.set(key, { provider, model, at: this.#clock.now(), code: error.code, message: error.message })
      const [oldest = key] = this.#last.size > MAX_MODELS ? this.#last.keys() : []
      if (oldest !== key) this.#last.delete(oldest)
      throw error
    }
  }
}

/** The same models, watched. */
export function watchModel(model: LanguageModel, failures: ModelFailures): LanguageModel {
  return {
    complete: (request) => failures.watch(request, model.complete(request)),
    converse: (request) => failures.watch(request, model.converse(request)),
  }
}

/** The same for embeddings. */
export function watchEmbeddings(model: EmbeddingModel, failures: ModelFailures): EmbeddingModel {
  return { embed: (request) => failures.watch(request, model.embed(request)) }
}
