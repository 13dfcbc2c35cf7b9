/** The port to language models: one completion. Implementations: any OpenAI-compatible endpoint, and the rehearsal model. */
import type { AgentRole } from '../core/model-call.ts'

export interface ModelRequest {
  readonly role: AgentRole
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly user: string
  /** The strict JSON schema that the answer must satisfy, or null for free text. */
  readonly schema: { readonly name: string; readonly json: Readonly<Record<string, unknown>> } | null
  /** Called with each piece of the text as it arrives; asks for a streamed answer. */
  readonly onText: ((delta: string) => void) | null
  /** A stream or a request that is silent for this long is cut off (MODEL_SILENT). */
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

export interface ModelAnswer {
  readonly text: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedTokens: number
}

export interface LanguageModel {
  /**
   * Rejects with an AppError whose code begins with MODEL_ and whose message says what to change, or CANCELLED when
   * `signal` aborted. Retries of 429, 5xx and network failures have already been made inside.
   */
  complete(request: ModelRequest): Promise<ModelAnswer>
}
