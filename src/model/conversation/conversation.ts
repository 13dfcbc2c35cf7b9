/**
 * The other half of the port to language models: a conversation in which the model may ask for tools. One call is one
 * answer; the loop around it, and everything that a call of a tool means, is the caller's (src/turn).
 */
import type { AgentRole } from '../../core/model-call.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { RuntimeHolder } from '../runtime/runtime-holder.ts'
import type { TokenCounts } from '../token-counts.ts'

/** A tool as the model is told of it. */
export interface OfferedTool {
  /** 1 to 64 letters, digits, "_" and "-": providers allow no more. */
  readonly name: string
  readonly description: string
  /** The JSON schema of its arguments, an object's. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A call that the model asks for. Nothing in it is checked but that it is well-formed. */
export interface RequestedCall {
  /** Unique in its answer; what the tool says is sent back under it. */
  readonly id: string
  readonly name: string
  /** Null: what the model wrote is no JSON object, often because it was cut off; `written` has it. */
  readonly args: JsonObject | null
  readonly written: string
}

/** What was said, in order; each call of an assistant is followed by what its tool said. */
export type ConversationMessage =
  | { readonly by: 'user'; readonly text: string }
  | {
      readonly by: 'assistant'
      readonly text: string
      readonly calls: readonly Pick<RequestedCall, 'id' | 'name' | 'written'>[]
    }
  | { readonly by: 'tool'; readonly callId: string; readonly text: string }

/** Texts are given to the provider as they are, so secrets must be gone from them. */
export interface ConversationRequest {
  readonly role: AgentRole
  readonly provider: string
  readonly model: string
  readonly system: string
  readonly said: readonly ConversationMessage[]
  readonly tools: readonly OfferedTool[]
  /**
   * `responseId` of an answer that the provider keeps: `said` is then only what came after it. Null: `said` is all. An
   * endpoint that keeps nothing ignores it, so it is given only where the answer before had one.
   */
  readonly continues: string | null
  /** Where a runtime of a plugin stays open; left out: it is closed with the answer. */
  readonly runtime?: RuntimeHolder
  /** Called with each piece of the text as it arrives, whole characters; the pieces together are the answer's text. */
  readonly onText: ((delta: string) => void) | null
  /** The same for what a model shows of its reasoning; it is part of no answer. */
  readonly onThinking: ((delta: string) => void) | null
  /** A stream or a request that is silent for this long is cut off (MODEL_SILENT). */
  readonly idleTimeoutMs: number
  readonly signal: AbortSignal
}

/** A complete answer: a text, calls, or both. */
export interface ConversationAnswer extends TokenCounts {
  readonly text: string
  readonly calls: readonly RequestedCall[]
  /** Under which the provider keeps the conversation up to here; null: it keeps none. */
  readonly responseId: string | null
}
