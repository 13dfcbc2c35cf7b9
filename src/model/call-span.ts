/** One request to a provider, for a collector: its span, and the metrics that the conventions name. */
import type { AppError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { NO_TRACING, type OpenSpan, type Tracing } from '../telemetry/tracing.ts'
import type { TokenCounts } from './token-counts.ts'

/** What a provider says of its answer besides. */
export interface AnswerDetails {
  /** Why the model stopped, in the words of Chat Completions. */
  readonly finishReason: string | null
  /** Which model answered, as the provider calls it. */
  readonly model: string | null
}

const NO_DETAILS: AnswerDetails = { finishReason: null, model: null }

/** How a request ended, as far as is known. */
interface Outcome {
  readonly error?: AppError
  readonly tokens: TokenCounts
  readonly details?: AnswerDetails
}

interface Request {
  readonly request: { readonly role: string; readonly provider: string; readonly model: string }
  readonly endpoint: { readonly baseUrl: string }
}

/** Each try is a request, and has a span of its own. */
export function inCallSpan<Of extends Outcome>(
  { tracing = NO_TRACING, clock }: { readonly tracing?: Tracing | undefined; readonly clock: Clock },
  { request, endpoint }: Request,
  ask: () => Promise<Of>,
): Promise<Of> {
  if (!tracing.isOn) return ask()
  const { role, provider, model } = request
  const called = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  }
  const attributes = { ...called, ...serverOf(endpoint.baseUrl), 'factotum.role': role }
  return tracing.inSpan({ of: 'chat', subject: model, attributes }, async (span) => {
    const startedMs = clock.monotonicMs()
    const outcome = await ask()
    const { tokens, details = NO_DETAILS, error } = outcome
    describe(span, outcome)
    const answered = { ...called, 'gen_ai.response.model': details.model ?? undefined }
    const seconds = (clock.monotonicMs() - startedMs) / 1000
    tracing.measure('modelDuration', seconds, { ...answered, 'error.type': error?.code })
    for (const [kind, count] of [['input', tokens.inputTokens] as const, ['output', tokens.outputTokens] as const]) {
      if (count > 0) tracing.measure('modelTokens', count, { ...answered, 'gen_ai.token.type': kind })
    }
    return outcome
  })
}

function describe(span: OpenSpan<'chat'>, { tokens, details = NO_DETAILS, error }: Outcome): void {
  span.set({
    'gen_ai.response.model': details.model ?? undefined,
    'gen_ai.response.finish_reasons': details.finishReason === null ? undefined : [details.finishReason],
    'gen_ai.usage.input_tokens': tokens.inputTokens,
    'gen_ai.usage.output_tokens': tokens.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': tokens.cachedTokens,
  })
  if (error !== undefined) span.fail(error.code)
}

function serverOf(baseUrl: string): { readonly 'server.address'?: string; readonly 'server.port'?: number } {
  const url = URL.parse(baseUrl)
  if (url === null) return {}
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { 'server.address': url.hostname, 'server.port': port }
}
