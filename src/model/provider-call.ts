/**
 * One call of a provider through the openai client, tried again where that can help. What is sent and how the answer is
 * read is the caller's (openai-model.ts, conversation/). The openai client's own retries are off: this file decides.
 */
import type OpenAI from 'openai'
import type { RequestSettings } from '../config/config.ts'
import type { CalledAs } from '../core/model-call.ts'
import { AppError } from '../core/errors.ts'
import { backoffMs, type BackoffPolicy } from '../platform/waiting/backoff.ts'
import type { Clock } from '../platform/clock.ts'
import { randomHex } from '../platform/random.ts'
import type { Logger } from '../platform/logger.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { inCallSpan, type AnswerDetails, type Operation } from './call-span.ts'
import type { FetchWithin } from './wire/http-transport.ts'
import { NO_TOKENS, type TokenCounts } from './token-counts.ts'
import { ModelError } from './language-model.ts'
import type { ModelCallContext } from './model-call-context.ts'
import type { OpenAiClients } from './openai-clients.ts'
import { toProviderError } from './provider-error.ts'
import type { FormMemory } from './wire/form-memory.ts'

/** Where a provider is and how to talk to it. */
export interface Endpoint {
  readonly baseUrl: string
  /** The name of the environment variable that must hold the key; null: the provider needs none. */
  readonly apiKeyEnv: string | null
  readonly apiKey: string | null
  /** How conversations are held: Chat Completions, or Responses, where the provider keeps them. */
  readonly api: 'chat' | 'responses'
  readonly fetchWithin: FetchWithin
  /** In what its requests differ from what most take. */
  readonly request: RequestSettings
}

/** What every call has. */
export interface ProviderRequest {
  readonly role: CalledAs
  readonly provider: string
  readonly model: string
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

/** What calls of providers need of the server. */
export interface ProviderOptions {
  /** Asked at every call. Throws an AppError when there is no such provider. */
  readonly endpointOf: (request: Pick<ProviderRequest, 'provider' | 'role'>) => Endpoint
  readonly clients: OpenAiClients
  readonly clock: Clock
  readonly logger: Logger
  /** Left out: none. */
  readonly tracing?: Tracing
  /** A number in [0, 1): the jitter of retries. */
  readonly random?: () => number
}

/** The same for answers in words, whose form is remembered. */
export interface AnsweringOptions extends ProviderOptions {
  readonly forms: FormMemory
}

/** What came of one try: `problem` is null for an answer that can be used. */
export interface Tried<Answer> {
  readonly answer: Answer
  readonly problem: AppError | null
  readonly tokens: TokenCounts
  readonly details: AnswerDetails
}

/** One question, however often it is put. */
export interface ProviderCall<Answer> {
  readonly request: ProviderRequest
  readonly operation: Operation
  /** Whether the answer had to satisfy a JSON schema. */
  readonly wantsSchema: boolean
  /** Pieces of the answer go through it, and what it has cost so far. */
  readonly delivery: PieceDelivery
  readonly send: (client: OpenAI, endpoint: Endpoint, call: ModelCallContext) => Promise<Tried<Answer>>
  /** Default: 4. */
  readonly maxTries?: number
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
 * Up to four tries, after pauses of up to 8 s, or of up to a minute where the provider asks for that. Fails at once
 * when a longer pause is asked for, after silence, and once a piece was passed on. Rejects with an AppError (a
 * ModelError when tokens were spent), or with what the receiver of a piece threw.
 */
export async function callProvider<Answer extends object>(
  options: ProviderOptions,
  { request, operation, wantsSchema, delivery, send, maxTries = MAX_TRIES }: ProviderCall<Answer>,
): Promise<Answer & TokenCounts> {
  const { role, provider, model, signal } = request
  const endpoint = options.endpointOf(request)
  requireKey(endpoint, request)
  const { baseUrl, apiKeyEnv, apiKey } = endpoint
  const call = { role, provider, model, baseUrl, apiKeyEnv, apiKey, wantsSchema }
  let tokens = NO_TOKENS
  for (let tries = 1; ; tries++) {
    const outcome = await inCallSpan(options, { operation, request, endpoint }, () =>
      tryOnce(options, { request, endpoint, delivery, call, send }),
    )
    tokens = addTokens(tokens, outcome.tokens)
    throwIfCancelled(signal, tokens)
    if (outcome.kind === 'answered') return { ...outcome.answer, ...tokens }
    const waitMs =
      delivery.started || tries >= maxTries
        ? null
        : retryDelayMs(outcome.error, tries, options.random ?? randomFraction)
    if (waitMs === null) throw withTokens(outcome.error, tokens)
    options.logger.warn(
      { role, provider, model, code: outcome.error.code, tries, waitMs },
      `model call failed; retrying: ${outcome.error.message}`,
    )
    await options.clock.sleep(waitMs, signal)
    throwIfCancelled(signal, tokens)
  }
}

type Try<Answer> = Pick<ProviderCall<Answer>, 'request' | 'delivery' | 'send'> & {
  readonly endpoint: Endpoint
  readonly call: ModelCallContext
}

type TryOutcome<Answer> = Pick<Tried<Answer>, 'tokens' | 'details'> &
  ({ readonly kind: 'answered'; readonly answer: Answer } | { readonly kind: 'failed'; readonly error: AppError })

const NO_DETAILS = { finishReason: null, model: null } as const

async function tryOnce<Answer>(
  options: ProviderOptions,
  { request, endpoint, delivery, call, send }: Try<Answer>,
): Promise<TryOutcome<Answer>> {
  const { baseUrl, apiKey, fetchWithin, request: extras } = endpoint
  delivery.tokens = NO_TOKENS
  try {
    const idleMs = extras.idleTimeoutMs ?? request.idleTimeoutMs
    const settings = { baseUrl, apiKey, fetchWithin, idleMs, extras }
    const client = options.clients.clientFor(request.provider, settings)
    const { answer, problem, ...rest } = await send(client, endpoint, call)
    return problem === null ? { kind: 'answered', answer, ...rest } : { kind: 'failed', error: problem, ...rest }
  } catch (error) {
    delivery.rethrow()
    const failure = toProviderError(error, call, options.clock.now())
    return { kind: 'failed', error: failure, tokens: delivery.tokens, details: NO_DETAILS }
  }
}

function requireKey({ apiKeyEnv, apiKey }: Endpoint, { provider }: ProviderRequest): void {
  if (apiKeyEnv === null) return
  if (apiKey !== null && apiKey !== '') {
    // Line breaks behind it are left out of a header; within it, it would be none.
    if (/^[\t\x20-\x7e]+[\r\n]*$/.test(apiKey)) return
    throw new AppError(
      'MODEL_UNAUTHORIZED',
      `The key of provider "${provider}" has characters that no key has, such as curly quotes or a line break: copy it into ${apiKeyEnv} (environment or .env) anew.`,
    )
  }
  throw new AppError(
    'MODEL_UNAUTHORIZED',
    `The key of provider "${provider}" is missing: set the environment variable ${apiKeyEnv}, or write it into .env beside config.toml (api_key_env in [providers.${provider}] names it).`,
  )
}

/** The wait before the next try, or null when this was the last. `tries` counts those made. */
function retryDelayMs(error: AppError, tries: number, random: () => number): number | null {
  if (error.retry === 'never' || error.code === 'MODEL_SILENT') return null
  if (error.code === 'MODEL_BAD_OUTPUT' && tries >= MAX_UNUSABLE_TRIES) return null
  if (error.retryAfterMs === null) return backoffMs(BACKOFF, tries - 1, random())
  return error.retryAfterMs <= MAX_RETRY_AFTER_MS ? error.retryAfterMs : null
}

/** Hands pieces on, remembers that it did, and keeps a failure of the receiver apart from those of the provider. */
export class PieceDelivery {
  #failure: { readonly error: unknown } | null = null
  started = false
  /** What the provider says that the try under way has cost so far: it was spent even if the answer breaks off. */
  tokens = NO_TOKENS

  /** To be called with what the provider says it has cost until then. */
  readonly onTokens = (tokens: TokenCounts): void => {
    this.tokens = tokens
  }

  /** What is to be called with each piece; null when there is no receiver. */
  to(receive: ((delta: string) => void) | null): ((delta: string) => void) | null {
    if (receive === null) return null
    return (delta) => {
      this.started = true
      try {
        receive(delta)
      } catch (error) {
        this.#failure = { error }
        throw error
      }
    }
  }

  /** Throws what a receiver threw, if one did. */
  rethrow(): void {
    if (this.#failure !== null) throw this.#failure.error
  }
}

/** `tokens`: what the tries so far have cost. */
function throwIfCancelled(signal: AbortSignal, tokens: TokenCounts): void {
  if (!signal.aborted) return
  throw withTokens(new AppError('CANCELLED', 'The model call was cancelled.', { cause: signal.reason }), tokens)
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
