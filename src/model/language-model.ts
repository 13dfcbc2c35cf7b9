/**
 * The port to language models: one completion, and one answer in a conversation with tools. Implementations: any
 * OpenAI-compatible endpoint, and the rehearsal model.
 */
import { AppError, type AppErrorCode } from '../core/errors.ts'
import type { AgentRole } from '../core/model-call.ts'
import type { TokenCounts } from './token-counts.ts'
import type { ConversationAnswer, ConversationRequest } from './conversation/conversation.ts'

/**
 * One completion: two messages in, one text out. Texts are given to the provider as they are, so secrets must be gone
 * from them.
 */
export interface ModelRequest {
  readonly role: AgentRole
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly user: string
  /** The strict JSON schema that the answer must satisfy, or null for free text. */
  readonly schema: { readonly name: string; readonly json: Readonly<Record<string, unknown>> } | null
  /** Called with each piece of the text as it arrives, whole characters; the pieces together are the answer's text. */
  readonly onText: ((delta: string) => void) | null
  /** A stream or a request that is silent for this long is cut off (MODEL_SILENT). */
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

/** A complete text that is not empty; whether it is JSON and satisfies the schema is the caller's to check. */
export interface ModelAnswer extends TokenCounts {
  readonly text: string
}

/** Any number of calls may run at once. */
export interface LanguageModel {
  /**
   * Rejects with an AppError whose code begins with MODEL_ and whose message says what to change (a ModelError when
   * tokens were spent), or CANCELLED when `signal` aborted. Retries of 429, 5xx and network failures have already been
   * made inside, but never after a piece of text was passed to `onText`. What `onText` throws is passed on as it is.
   */
  complete(request: ModelRequest): Promise<ModelAnswer>

  /**
   * Rejects as `complete` does; with MODEL_CONVERSATION_LOST when the provider does not know what `continues` names:
   * the whole conversation is to be sent then. No tool is called here.
   */
  converse(request: ConversationRequest): Promise<ConversationAnswer>
}

/** A call that failed after the model had worked: what it cost all the same. */
export class ModelError extends AppError {
  readonly tokens: TokenCounts

  constructor(code: AppErrorCode, message: string, options: ModelErrorOptions) {
    super(code, message, options)
    this.tokens = options.tokens
  }
}

interface ModelErrorOptions {
  readonly tokens: TokenCounts
  readonly retry: 'never' | 'backoff'
  readonly retryAfterMs?: number | null
  readonly cause?: unknown
}
