/** A runtime of a plugin: a model, or an agent, that keeps its conversation itself between turns. */
import type { Json } from './hook-inputs.ts'
import type { PluginContext } from './plugin-context.ts'

/** What a conversation is opened for; one of it may be opened more than once in its life. */
export interface RuntimeSessionData {
  /** Which model, as it stands behind "<plugin>/<runtime>:". */
  readonly model: string
  /** The instructions, for as long as the conversation is open. */
  readonly system: string
}

/** What was said; each call of an assistant is followed by what its tool said, in the same order. */
export type RuntimeMessage =
  | { readonly by: 'user'; readonly text: string }
  | {
      readonly by: 'assistant'
      readonly text: string
      /** `written`: the arguments as JSON. */
      readonly calls: readonly { readonly id: string; readonly name: string; readonly written: string }[]
    }
  | { readonly by: 'tool'; readonly callId: string; readonly text: string }

/** What the model is asked. */
export interface RuntimeRequest {
  /** At first the whole conversation; later only what came since its last answer. */
  readonly messages: readonly RuntimeMessage[]
  /** What may be called; `parameters` is a JSON schema. */
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: Json }[]
  /** Aborts when the answer is not wanted any more: the conversation is closed then. */
  readonly signal: AbortSignal
}

/** A piece of an answer. Calls are made by Factotum, which sends what came of them; without calls the turn ends. */
export type RuntimePiece =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  | {
      readonly kind: 'call'
      /** Unique in its answer. */
      readonly id: string
      readonly name: string
      readonly args: Readonly<Record<string, Json>>
    }
  | {
      readonly kind: 'usage'
      readonly inputTokens: number
      readonly outputTokens: number
      readonly cachedTokens?: number
    }

/** One conversation. What it throws closes it: the next answer is asked of a new one, with the whole conversation. */
export interface RuntimeSession {
  /** One at a time. At most 1 MiB of text in an answer; it is read only as fast as it is taken. */
  send(request: RuntimeRequest): AsyncIterable<RuntimePiece>
  /** It is not used any more: too long idle, replaced, or failed. Not within 5 s is a failure. */
  close(): void | Promise<void>
}

/** Chosen in config.toml or for a session as the model "<plugin>/<runtime>:<model>". */
export interface RuntimeDefinition<Settings> {
  readonly description: string
  /** Within 30 s, or until `ctx.signal` aborts; one that is open only later is closed at once. */
  open(session: RuntimeSessionData, ctx: PluginContext<Settings>): RuntimeSession | Promise<RuntimeSession>
}
