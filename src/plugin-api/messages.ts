/**
 * What goes between a plugin and the server. Between threads each message is a JSON text, so that its size is known
 * before anything of it is read; what is sent at the same time goes as a list of such texts, since to wake a thread
 * costs more than most messages.
 */
import type { HookName, Json } from './hook-inputs.ts'
import type { ProgramRequest } from './program.ts'
import type { RuntimePiece } from './runtime.ts'

/** Of one message, in characters; longer ones are refused by their sender, and end a plugin that sends them anyway. */
export const MAX_MESSAGE_CHARS = 1024 * 1024
/** Requests of a plugin that have not been answered. */
export const MAX_OPEN_REQUESTS = 32
/** Lines in a second. */
export const MAX_LOG_LINES = 100

/** What a plugin is called for. */
export type PluginCall =
  | { readonly kind: 'HOOK'; readonly hook: HookName; readonly data: unknown }
  | { readonly kind: 'TOOL'; readonly tool: string; readonly args: Json; readonly call: ToolCallData }
  | RuntimeCall

/** What is done with a conversation of a runtime; `session` is the server's name for it. */
export type RuntimeCall = { readonly kind: 'RUNTIME'; readonly session: string } & (
  | { readonly act: 'OPEN'; readonly runtime: string; readonly model: string; readonly system: string }
  /** Asks; answered with the first pieces. */
  | { readonly act: 'SEND'; readonly messages: unknown; readonly tools: unknown }
  /** Takes the next pieces of the answer. */
  | { readonly act: 'NEXT' }
  | { readonly act: 'CLOSE' }
)

/** Pieces of an answer, and whether it has ended with them. */
export interface RuntimeBatch {
  readonly pieces: readonly RuntimePiece[]
  readonly isDone: boolean
}

/** Whose call of a tool it is. */
export interface ToolCallData {
  readonly sessionId: string
  readonly turnId: string
  readonly taskId: string
  readonly user: string
  readonly role: 'ADMIN' | 'USER'
}

/** How far a call of a tool is. */
export interface ProgressData {
  readonly done: number
  readonly total: number | null
  readonly message: string | null
}

/** What a plugin asks of the server. */
export type ServerRequest =
  | { readonly what: 'STATE_GET' | 'STATE_DELETE' | 'STATE_KEYS'; readonly key: string }
  | { readonly what: 'STATE_SET'; readonly key: string; readonly value: Json }
  | { readonly what: 'SEND_MESSAGE'; readonly sessionId: string; readonly user: string; readonly text: string }
  | { readonly what: 'APPEND_MESSAGE'; readonly sessionId: string; readonly text: string }
  | { readonly what: 'RECORD'; readonly sessionId: string; readonly name: string; readonly data: Json }
  | { readonly what: 'FORGET'; readonly thanDays: number }
  | ProgramRequest
  | { readonly what: 'RUN_TOOL'; readonly name: string; readonly args: Readonly<Record<string, Json>> }

/** Of a log line. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** What a plugin is started with. */
export interface PluginStart {
  readonly settings: Json
  /** Setting → the value of the deploy secret that it names; null: that is not set. */
  readonly secrets: Readonly<Record<string, string | null>>
}

/** From the server to the thread. */
export type ToThread =
  /** Checks settings. Answered with RESULT: null, or what is wrong. */
  | { readonly type: 'CHECK'; readonly id: number; readonly settings: Json }
  | { readonly type: 'START'; readonly id: number; readonly start: PluginStart }
  /** `after`: begins when this call has ended or was aborted. */
  | { readonly type: 'CALL'; readonly id: number; readonly after?: number; readonly call: PluginCall }
  /** The call's time is over, or it is not wanted any more. */
  | { readonly type: 'ABORT'; readonly id: number }
  | { readonly type: 'STOP'; readonly id: number }
  | { readonly type: 'PING' }
  | { readonly type: 'ANSWER'; readonly request: number; readonly value: Json }
  | { readonly type: 'REFUSAL'; readonly request: number; readonly message: string }

/** From the thread to the server. */
export type FromThread =
  | { readonly type: 'LOADED'; readonly manifest: unknown }
  | { readonly type: 'UNUSABLE'; readonly message: string }
  | { readonly type: 'RESULT'; readonly id: number; readonly value: Json }
  | { readonly type: 'ERROR'; readonly id: number; readonly message: string }
  | { readonly type: 'PROGRESS'; readonly id: number; readonly progress: ProgressData }
  | { readonly type: 'REQUEST'; readonly request: number; readonly call: number | null; readonly ask: unknown }
  | { readonly type: 'LOG'; readonly level: LogLevel; readonly message: string; readonly fields?: Json | undefined }
  | { readonly type: 'PONG' }

/** Whatever was thrown, as a line. */
export function textOfError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.slice(0, 2000).toWellFormed()
}
