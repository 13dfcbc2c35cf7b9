/**
 * The port to models that say by numbers what texts mean: `/embeddings` of any OpenAI-compatible endpoint, through the
 * settings of its provider. `extra_body` is not sent: it is for answers.
 */
import { AppError } from '../core/errors.ts'
import { nameModel, type ModelCallContext } from './model-call-context.ts'
import { OpenAiClients } from './openai-clients.ts'
import { callProvider, PieceDelivery, type ProviderOptions, type Tried } from './provider-call.ts'
import type { TokenCounts } from './token-counts.ts'

/** Texts are given to the provider as they are, so secrets must be gone from them. */
export interface EmbeddingRequest {
  readonly provider: string
  readonly model: string
  /** At least one, none of them empty. */
  readonly texts: readonly string[]
  /** A request that is silent for this long is cut off (MODEL_SILENT). */
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

/** What texts mean, and what it cost to know. */
export interface Embeddings extends TokenCounts {
  /** One for each text, in their order: of the same length, and none of zeros alone. */
  readonly vectors: readonly Float32Array[]
}

/** Any number of calls may run at once. */
export interface EmbeddingModel {
  /**
   * One try: the caller goes on without it. Rejects with an AppError whose code begins with MODEL_, or
   * CANCELLED when `signal` aborted.
   */
  embed(request: EmbeddingRequest): Promise<Embeddings>
}

/** What is longer is no vector of any model that is known, and more than is worth keeping. */
const MAX_DIMENSIONS = 8192

/** The model behind the endpoint that each call names. */
export function createEmbeddingModel(
  options: Pick<ProviderOptions, 'endpointOf' | 'tracing' | 'clock' | 'logger'>,
): EmbeddingModel {
  const clients = new OpenAiClients()
  return {
    embed: ({ texts, ...asked }) =>
      callProvider(
        { ...options, clients },
        {
          request: { ...asked, role: 'embedder' },
          operation: 'embeddings',
          wantsSchema: false,
          delivery: new PieceDelivery(),
          maxTries: 1,
          send: async (client, _endpoint, call) => {
            // Named, because the package would ask for base64, which not every server knows.
            const body = { model: asked.model, input: [...texts], encoding_format: 'float' as const }
            return judge(await client.embeddings.create(body, { signal: asked.signal }), { call, count: texts.length })
          },
        },
      ),
  }
}

/** Nothing of what an endpoint answers is trusted to have its shape. */
interface Answered {
  readonly data?: unknown
  readonly model?: unknown
  readonly usage?: { readonly prompt_tokens?: unknown }
}

function judge(
  answered: Answered,
  { call, count }: { readonly call: ModelCallContext; readonly count: number },
): Tried<Pick<Embeddings, 'vectors'>> {
  const vectors = vectorsOf(answered.data, count)
  const used = answered.usage?.prompt_tokens
  const inputTokens = typeof used === 'number' && used > 0 && Number.isFinite(used) ? Math.round(used) : 0
  const tokens = { inputTokens, outputTokens: 0, cachedTokens: 0 }
  const model = typeof answered.model === 'string' ? answered.model : null
  const details = { model, finishReason: null, dimensions: vectors?.[0]?.length }
  if (vectors !== null) return { answer: { vectors }, problem: null, tokens, details }
  const message = `The answer of ${nameModel(call)} holds no embedding for each text. Is it a model for embeddings?`
  return { answer: { vectors: [] }, problem: new AppError('MODEL_BAD_OUTPUT', message), tokens, details }
}

/** Null: it is not one vector for each text, or their lengths differ. */
function vectorsOf(data: unknown, count: number): readonly Float32Array[] | null {
  if (!Array.isArray(data) || data.length !== count) return null
  const placed = data.map((one: { index?: unknown; embedding?: unknown } | null, at) => ({
    at: typeof one?.index === 'number' ? one.index : at,
    vector: vectorOf(one?.embedding),
  }))
  const vectors = placed.toSorted((a, b) => a.at - b.at).map(({ vector }) => vector)
  const whole = vectors.filter((vector) => vector !== null)
  return whole.length === count && new Set(whole.map(({ length }) => length)).size === 1 ? whole : null
}

function vectorOf(embedding: unknown): Float32Array | null {
  if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > MAX_DIMENSIONS) return null
  const vector = Float32Array.from(embedding, Number)
  return vector.every(Number.isFinite) && vector.some((part) => part !== 0) ? vector : null
}
