/**
 * `LanguageModel` over any OpenAI-compatible endpoint, through the openai package. Every answer is asked for as a
 * stream, also when no client follows it: a model that thinks for minutes then still sends bytes, and only one that has
 * died is silent. A server that answers with a whole document instead is understood too.
 *
 * The openai client's retries are off: this file decides what is tried again.
 */
import type OpenAI from 'openai'
import { AppError } from '../core/errors.ts'
import { backoffMs, type BackoffPolicy } from '../platform/backoff.ts'
import type { Clock } from '../platform/clock.ts'
import { randomHex } from '../platform/id.ts'
import type { Logger } from '../platform/logger.ts'
import { readChatAnswer } from './chat-answer.ts'
import type { FetchWithin } from './http-transport.ts'
import { judgeAnswer } from './judge-answer.ts'
import {
  ModelError,
  NO_TOKENS,
  type LanguageModel,
  type ModelAnswer,
  type ModelRequest,
  type TokenCounts,
} from './language-model.ts'
import type { ModelCallContext } from './model-call-context.ts'
import { OpenAiClients } from './openai-clients.ts'
import { toProviderError } from './provider-error.ts'

/** Where a provider is and how to talk to it. */
export interface Endpoint {
  readonly baseUrl: string
  /** The name of the environment variable that must hold the key; null: the provider needs none. */
  readonly apiKeyEnv: string | null
  readonly apiKey: string | null
  readonly fetchWithin: FetchWithin
}

interface OpenAiModelOptions {
  /** Asked at every call. Throws an AppError when there is no such provider. */
  readonly endpointOf: (request: ModelRequest) => Endpoint
  readonly clock: Clock
  readonly logger: Logger
  /** A number in [0, 1): the jitter of retries. */
  readonly random?: () => number
}

const MAX_TRIES = 4
const BACKOFF: BackoffPolicy = { firstMs: 500, maxMs: 8000 }
/** A provider that asks for a longer pause is not waited for: the turn fails now and says so. */
const MAX_RETRY_AFTER_MS = 60_000
/** What a provider claims beyond this is nonsense, and more than the column of a call holds. */
const MAX_TOKENS = 2 ** 31 - 1
/** An empty answer is tried again once: more tries seldom help and cost as much. */
const MAX_UNUSABLE_TRIES = 2

/**
 * A call is tried up to four times, after pauses of up to 8 s, or of up to a minute where the provider asks for that.
 * It fails at once when a longer pause is asked for, after silence, and once a piece of text was passed on.
 */
export function createOpenAiModel(options: OpenAiModelOptions): LanguageModel {
  const clients = new OpenAiClients()
  return { complete: (request) => complete({ ...options, clients }, request) }
}

interface Parts extends OpenAiModelOptions {
  readonly clients: OpenAiClients
}

async function complete(options: Parts, request: ModelRequest): Promise<ModelAnswer> {
  const endpoint = options.endpointOf(request)
  requireKey(endpoint, request)
  const delivery = new TextDelivery(request.onText)
  let tokens = NO_TOKENS
  for (let tries = 1; ; tries++) {
    const outcome = await tryOnce(options, { request, endpoint, delivery })
    throwIfCancelled(request.signal)
    tokens = addTokens(tokens, outcome.tokens)
    if (outcome.kind === 'answered') return { text: outcome.text, ...tokens }
    const waitMs = delivery.started ? null : retryDelayMs(outcome.error, tries, options.random ?? randomFraction)
    if (waitMs === null) throw withTokens(outcome.error, tokens)
    const { role, provider, model } = request
    options.logger.warn(
      { role, provider, model, code: outcome.error.code, tries, waitMs },
      `model call failed, trying again: ${outcome.error.message}`,
    )
    await options.clock.sleep(waitMs, request.signal)
    throwIfCancelled(request.signal)
  }
}

interface Try {
  readonly request: ModelRequest
  readonly endpoint: Endpoint
  readonly delivery: TextDelivery
}

type TryOutcome =
  | { readonly kind: 'answered'; readonly text: string; readonly tokens: TokenCounts }
  | { readonly kind: 'failed'; readonly error: AppError; readonly tokens: TokenCounts }

async function tryOnce(options: Parts, { request, endpoint, delivery }: Try): Promise<TryOutcome> {
  const { role, provider, model } = request
  const { baseUrl, apiKeyEnv, apiKey, fetchWithin } = endpoint
  const call: ModelCallContext = {
    role,
    provider,
    model,
    baseUrl,
    apiKeyEnv,
    apiKey,
    wantsSchema: request.schema !== null,
  }
  try {
    const client = options.clients.clientFor(provider, { baseUrl, apiKey, fetchWithin, idleMs: request.idleTimeoutMs })
    const response = await client.chat.completions.create(bodyOf(request), { signal: request.signal }).asResponse()
    const answer = await readChatAnswer(response, { client, onText: delivery.accept })
    const problem = judgeAnswer(answer, call)
    const { text, tokens } = answer
    return problem === null ? { kind: 'answered', text, tokens } : { kind: 'failed', error: problem, tokens }
  } catch (error) {
    delivery.rethrow()
    return { kind: 'failed', error: toProviderError(error, call, options.clock.now()), tokens: NO_TOKENS }
  }
}

function bodyOf({ model, system, user, schema }: ModelRequest): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    stream: true,
    stream_options: { include_usage: true },
    ...(schema === null
      ? {}
      : {
          response_format: {
            type: 'json_schema',
            json_schema: { name: schema.name, strict: true, schema: { ...schema.json } },
          },
        }),
  }
}

function requireKey({ apiKeyEnv, apiKey }: Endpoint, { provider }: ModelRequest): void {
  if (apiKeyEnv === null || (apiKey !== null && apiKey !== '')) return
  throw new AppError(
    'MODEL_UNAUTHORIZED',
    `The key of provider "${provider}" is missing: set the environment variable ${apiKeyEnv}, or write it into .env beside config.toml (api_key_env in [providers.${provider}] names it).`,
  )
}

/** The wait before the next try, or null when this was the last. `tries` counts those made. */
function retryDelayMs(error: AppError, tries: number, random: () => number): number | null {
  if (error.retry === 'never' || error.code === 'MODEL_SILENT' || tries >= MAX_TRIES) return null
  if (error.code === 'MODEL_BAD_OUTPUT' && tries >= MAX_UNUSABLE_TRIES) return null
  if (error.retryAfterMs === null) return backoffMs(BACKOFF, tries - 1, random())
  return error.retryAfterMs <= MAX_RETRY_AFTER_MS ? error.retryAfterMs : null
}

/** Hands pieces on, remembers that it did, and keeps a failure of the receiver apart from those of the provider. */
class TextDelivery {
  readonly #onText: ((delta: string) => void) | null
  #failure: { readonly error: unknown } | null = null
  started = false

  constructor(onText: ((delta: string) => void) | null) {
    this.#onText = onText
  }

  readonly accept = (delta: string): void => {
    if (this.#onText === null) return
    this.started = true
    try {
      this.#onText(delta)
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  /** Throws what the receiver threw, if it did. */
  rethrow(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}

function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError('CANCELLED', 'The model call was cancelled.', { cause: signal.reason })
}

function addTokens(a: TokenCounts, b: TokenCounts): TokenCounts {
  const sum = (of: (tokens: TokenCounts) => number): number => Math.min(of(a) + of(b), MAX_TOKENS)
  return {
    inputTokens: sum((tokens) => tokens.inputTokens),
    outputTokens: sum((tokens) => tokens.outputTokens),
    cachedTokens: sum((tokens) => tokens.cachedTokens),
  }
}

function withTokens(error: AppError, tokens: TokenCounts): AppError {
  if (tokens.inputTokens === 0 && tokens.outputTokens === 0) return error
  const { retry, retryAfterMs } = error
  return new ModelError(error.code, error.message, { tokens, retry, retryAfterMs, cause: error })
}

function randomFraction(): number {
  return Number.parseInt(randomHex(4), 16) / 2 ** 32
}
