/**
 * The port to runtimes of plugins: a model, or an agent, that keeps its conversation itself for as long as it is open.
 * Implemented by the plugins, used by the models (src/model/runtime).
 */
import type { JsonObject } from './json.ts'

/** What a runtime is opened with. */
export interface RuntimeOpening {
  /** "<plugin>/<runtime>". */
  readonly name: string
  /** Which of its models. */
  readonly model: string
  /** The instructions. */
  readonly system: string
}

/** What comes since the last answer; at first, the whole conversation. */
export interface RuntimeAsked {
  readonly messages: readonly RuntimeMessage[]
  readonly tools: readonly RuntimeTool[]
}

/** What was said; each call of an assistant is followed by what its tool said. */
export type RuntimeMessage =
  | { readonly by: 'user'; readonly text: string }
  | {
      readonly by: 'assistant'
      readonly text: string
      readonly calls: readonly { readonly id: string; readonly name: string; readonly written: string }[]
    }
  | { readonly by: 'tool'; readonly callId: string; readonly text: string }

export interface RuntimeTool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A piece of an answer, in the order in which it comes. */
export type RuntimePiece =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly args: JsonObject }
  | {
      readonly kind: 'usage'
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cachedTokens: number
    }

/** One conversation of a runtime. One `send` at a time. */
export interface OpenRuntime {
  /** Of no other one, in any process. */
  readonly id: string
  /** False: it is gone, such as with its plugin. */
  readonly isOpen: boolean
  /**
   * Throws an AppError with a code MODEL_…, or CANCELLED when `signal` aborted; then it is to be closed. A signal whose
   * reason is an AppError gives the answer up because of what the runtime did: that is its failure, and no CANCELLED.
   */
  send(asked: RuntimeAsked, signal: AbortSignal): AsyncIterable<RuntimePiece>
  /** Returns at once, and what is under way ends. Repeatable; never throws. */
  close(): void
}

export interface ModelRuntimes {
  /** Rejects with MODEL_UNKNOWN or MODEL_UNREACHABLE, or CANCELLED. */
  open(opening: RuntimeOpening, signal: AbortSignal): Promise<OpenRuntime>
}
