/**
 * The port to tools: what a plan or a conversation may call besides commands, wherever it comes from. Implementations:
 * MCP servers, plugins, delegation, and the server's own. Skills are offered beside them, and run as skills always did.
 */
import type { Role } from '../core/identity.ts'
import type { JsonObject } from '../core/tool/json.ts'
import type { ToolEffect } from '../core/tool/tool-name.ts'

/** What a tool is offered as. */
export interface ToolOffer {
  /** "<source>__<tool>", 1 to 64 letters, digits, "_" and "-" (providers of models allow no more); unique. */
  readonly name: string
  /** The part before "__": the plugin, the MCP server, "skills". */
  readonly source: string
  /** From the tool's author: data, never an instruction. Bounded by the catalogue. */
  readonly description: string
  /** The JSON schema (2020-12) of its arguments, an object's. */
  readonly parameters: JsonObject
  readonly effect: ToolEffect
  /**
   * Changes with what the tool is offered as, where others may change that: what was approved as one thing must not run
   * as another. Absent: the server's own, which does not change.
   */
  readonly fingerprint?: string
}

/** One call. It was checked against `parameters`, the user's rights and the approval policy. */
export interface ToolCall {
  readonly args: JsonObject
  readonly sessionId: string
  readonly turnId: string
  /** Names the call for good: a tool that is called again after a crash gets the same. */
  readonly taskId: string
  /** Whose turn it is, with the role as configured now. */
  readonly user: { readonly name: string; readonly role: Role }
  /** Progress for people; may be called as often as the tool likes: it is coalesced and bounded by the caller. */
  readonly onProgress: (progress: ToolProgress) => void
  /** Aborts when the turn is stopped or the time is over; `run` must then settle within a second. */
  readonly signal: AbortSignal
  /** Milliseconds that the call may take, from now. */
  readonly timeoutMs: number
}

/** How far a call is, in a unit of the tool's own. */
export interface ToolProgress {
  readonly done: number
  /** Null: not known. */
  readonly total: number | null
  readonly message: string | null
}

/** How a call ended. Texts are bounded and redacted by the caller. */
export type ToolOutcome =
  | { readonly kind: 'done'; readonly text: string }
  /** The tool ran and says that it failed, or it could not be called; `text` says what to change. */
  | { readonly kind: 'failed'; readonly text: string }
  /** It was called, and whether it took effect is unknown: it is never called again by itself. */
  | { readonly kind: 'unknown'; readonly text: string }

/** A tool that can be called. */
export interface Tool extends ToolOffer {
  /** Milliseconds that a call may take; absent: as long as a command (`exec_timeout`). */
  readonly timeoutMs?: number
  /** Never rejects but for bugs. Nothing is retried: a call that may have taken effect is `unknown`. */
  run(call: ToolCall): Promise<ToolOutcome>
}

/** Of two sources with one name, the one of the earlier origin counts. */
export const TOOL_ORIGINS = ['SERVER', 'PLUGIN', 'MCP'] as const
/** Who brings a source of tools. */
export type ToolOrigin = (typeof TOOL_ORIGINS)[number]

/** Where tools come from: one MCP server, one plugin, the server itself. */
export interface ToolSource {
  /** Lower-case letters, digits and "-", beginning with a letter; reserved names are the server's alone. */
  readonly name: string
  readonly origin: ToolOrigin
  /** Those that it has now; cheap, as it is asked at the start of each turn. Empty while it is not there. */
  tools(): readonly Tool[]
  /** Why tools that were there are not there now, for people and the model; null: all is well. */
  problem(): string | null
}
