/**
 * The models of a running server: the configured providers, or the rehearsal model while there is none. Called once, by
 * app.ts. Providers and keys are looked up at every call, so a reload of the configuration holds from the next call on.
 */
import type { LiveConfig } from '../config/config.ts'
import type { ApiKeys } from '../config/access/api-keys.ts'
import { REHEARSAL } from '../config/models/model-choice.ts'
import { AppError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import { createEmbeddingModel, type EmbeddingModel } from './embedding-model.ts'
import { createHttpTransport } from './wire/http-transport.ts'
import type { LanguageModel } from './language-model.ts'
import { createOpenAiModel } from './openai-model.ts'
import type { ProviderOptions } from './provider-call.ts'
import { createRehearsalEndpoint } from './rehearsal/rehearsal-model.ts'
import { FormMemory, type FormStore } from './wire/form-memory.ts'

interface LanguageModelOptions {
  readonly config: LiveConfig
  readonly keys: ApiKeys
  /** For HTTP_PROXY, HTTPS_PROXY and NO_PROXY; read once. */
  readonly proxyEnv: Readonly<Record<string, string | undefined>>
  /** Left out: none. */
  readonly tracing?: Tracing
  readonly clock: Clock
  readonly logger: Logger
}

const REHEARSAL_PIECE_DELAY_MS = 15

/** Never throws: a provider or key that is missing fails the call, with MODEL_UNKNOWN or MODEL_UNAUTHORIZED. */
export function createLanguageModel(
  options: LanguageModelOptions & { readonly formStore?: FormStore | undefined },
): LanguageModel {
  const { formStore: store = null, logger } = options
  return createOpenAiModel({ ...providersOf(options), forms: new FormMemory({ store, logger }) })
}

/** The same for what texts mean. Never throws, as above. */
export function createEmbeddings(options: LanguageModelOptions): EmbeddingModel {
  return createEmbeddingModel(providersOf(options))
}

type Providers = Pick<ProviderOptions, 'endpointOf' | 'tracing' | 'clock' | 'logger'>

function providersOf(options: LanguageModelOptions): Providers {
  const { config, keys, proxyEnv, tracing = NO_TRACING, clock, logger } = options
  const fetchWithin = createHttpTransport({ proxyEnv, clock, headers: () => tracing.headers() })
  const rehearsal = createRehearsalEndpoint({ clock, pieceDelayMs: REHEARSAL_PIECE_DELAY_MS })
  return {
    endpointOf: ({ provider: name, role }) => {
      if (name === REHEARSAL.provider) return rehearsal
      const provider = config.current().providers.get(name)
      if (provider === undefined) {
        const message = `There is no provider "${name}" any more; [models] ${role} in config.toml named it when the call began.`
        throw new AppError('MODEL_UNKNOWN', message)
      }
      const { baseUrl, apiKeyEnv, api, request } = provider
      const apiKey = apiKeyEnv === null ? null : keys.apiKey(apiKeyEnv)
      return { baseUrl, apiKeyEnv, apiKey, api, fetchWithin, request }
    },
    tracing,
    clock,
    logger,
  }
}
