/** One request to a provider, for a collector: its span, and the metrics that the conventions name. */
import type { AppError } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { MeasureAttributes } from '../telemetry/spans.ts'
import { NO_TRACING, type OpenSpan, type Tracing } from '../telemetry/tracing.ts'
import type { TokenCounts } from './token-counts.ts'

/** By the names of the conventions. */
export type Operation = 'chat' | 'embeddings'

/** What a provider says of its answer besides. */
export interface AnswerDetails {
  /** Which model answered, as the provider calls it. */
  readonly model: string | null
  /** Why it stopped, in the words of Chat Completions; null also for what is no text. */
  readonly finishReason: string | null
  /** Of embeddings: how many numbers a text has. */
  readonly dimensions?: number | undefined
}

/** How a request ended, as far as is known. */
interface Outcome {
  readonly error?: AppError
  readonly tokens: TokenCounts
  readonly details: AnswerDetails
}

interface Request {
  readonly operation: Operation
  readonly request: { readonly role: string; readonly provider: string; readonly model: string }
  readonly endpoint: { readonly baseUrl: string }
}

/** Each try is a request, and has a span of its own. */
export function inCallSpan<Of extends Outcome>(
  { tracing = NO_TRACING, clock }: { readonly tracing?: Tracing | undefined; readonly clock: Clock },
  { operation, request, endpoint }: Request,
  ask: () => Promise<Of>,
): Promise<Of> {
  if (!tracing.isOn) return ask()
  const { role, provider, model } = request
  const called = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  }
  const asked = async (describe: (outcome: Of) => void): Promise<Of> => {
    const startedMs = clock.monotonicMs()
    const outcome = await ask()
    describe(outcome)
    measure(tracing, { called, outcome, seconds: (clock.monotonicMs() - startedMs) / 1000 })
    return outcome
  }
  const common = { ...called, ...serverOf(endpoint.baseUrl) }
  if (operation === 'embeddings') {
    const attributes = { ...common, 'gen_ai.request.encoding_formats': ['float'] }
    return tracing.inSpan({ of: 'embeddings', subject: model, attributes }, (span) =>
      asked((outcome) => describeEmbeddings(span, outcome)),
    )
  }
  const attributes = { ...common, 'factotum.role': role }
  return tracing.inSpan({ of: 'chat', subject: model, attributes }, (span) =>
    asked((outcome) => describeChat(span, outcome)),
  )
}

function describeChat(span: OpenSpan<'chat'>, { tokens, details, error }: Outcome): void {
  span.set({
    'gen_ai.response.model': details.model ?? undefined,
    'gen_ai.response.finish_reasons': details.finishReason === null ? undefined : [details.finishReason],
    'gen_ai.usage.input_tokens': tokens.inputTokens,
    'gen_ai.usage.output_tokens': tokens.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': tokens.cachedTokens,
  })
  if (error !== undefined) span.fail(error.code)
}

function describeEmbeddings(span: OpenSpan<'embeddings'>, { tokens, details, error }: Outcome): void {
  span.set({
    'gen_ai.response.model': details.model ?? undefined,
    'gen_ai.embeddings.dimension.count': details.dimensions,
    'gen_ai.usage.input_tokens': tokens.inputTokens,
  })
  if (error !== undefined) span.fail(error.code)
}

interface Measured {
  readonly called: Pick<MeasureAttributes<'modelDuration'>, 'gen_ai.operation.name' | 'gen_ai.provider.name'>
  readonly outcome: Outcome
  readonly seconds: number
}

function measure(tracing: Tracing, { called, outcome: { tokens, details, error }, seconds }: Measured): void {
  const answered = { ...called, 'gen_ai.response.model': details.model ?? undefined }
  tracing.measure('modelDuration', seconds, { ...answered, 'error.type': error?.code })
  for (const [kind, count] of [['input', tokens.inputTokens] as const, ['output', tokens.outputTokens] as const]) {
    if (count > 0) tracing.measure('modelTokens', count, { ...answered, 'gen_ai.token.type': kind })
  }
}

function serverOf(baseUrl: string): { readonly 'server.address'?: string; readonly 'server.port'?: number } {
  const url = URL.parse(baseUrl)
  if (url === null) return {}
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { 'server.address': url.hostname, 'server.port': port }
}
