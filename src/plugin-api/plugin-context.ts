/** What a plugin may do: the `ctx` that each of its functions is given. Texts are redacted by the server. */
import type { Json } from './hook-inputs.ts'
import type { Program, ProgramStart } from './program.ts'

/** A plugin's small store in the database, shared by all processes; it stays when the plugin is removed. */
export interface PluginState {
  /** Null: there is none. */
  get(key: string): Promise<Json>
  /** At most 64 KiB each, 1 000 keys; the last write counts. Rejects beyond. */
  set(key: string, value: Json): Promise<void>
  /** No failure when there is none. */
  delete(key: string): Promise<void>
  /** Those that begin with `prefix`, in order. */
  keys(prefix?: string): Promise<readonly string[]>
}

/** Lines in the server's log; beyond 100 a second they are left out and counted. */
export interface PluginLogger {
  debug(message: string, fields?: Readonly<Record<string, Json>>): void
  info(message: string, fields?: Readonly<Record<string, Json>>): void
  warn(message: string, fields?: Readonly<Record<string, Json>>): void
  error(message: string, fields?: Readonly<Record<string, Json>>): void
}

/** How a tool that a plugin called ended. */
export interface ToolResult {
  /** UNKNOWN: it was called, and whether it took effect is unknown. */
  readonly kind: 'DONE' | 'FAILED' | 'UNKNOWN'
  readonly text: string
}

/**
 * Requests reject with an Error that says what to change; at most 32 at a time. `signal` aborts when the call's time is
 * over, or in `start` when the plugin is to end; what comes after that is ignored.
 */
export interface PluginContext<Settings = Readonly<Record<string, unknown>>> {
  /** Checked against the plugin's schema. A change restarts the plugin. */
  readonly settings: Settings
  readonly signal: AbortSignal
  readonly log: PluginLogger
  readonly state: PluginState
  /** The value of the deploy secret that the setting made by `secret()` names; null when none is set. */
  secret(setting: string): string | null
  /** Posts a message to a session as this user, whose rights count: a turn follows. */
  sendMessage(message: { readonly sessionId: string; readonly user: string; readonly text: string }): Promise<void>
  /** Adds a text of the agent to the conversation: it is shown and delivered, and no turn follows. */
  appendMessage(message: { readonly sessionId: string; readonly text: string }): Promise<void>
  /** Adds an event of the plugin's own to the session's log: `PluginEvent { plugin name data }`, at most 16 KiB. */
  record(event: { readonly sessionId: string; readonly name: string; readonly data: Json }): Promise<void>
  /**
   * Deletes the events that the plugin `keeps` and that are older, from the logs of all sessions; how many. Repeatable.
   */
  forget(older: { readonly thanDays: number }): Promise<number>
  /** Starts a program in the sandbox of commands, in a folder of the plugin's own; at most 16 run at a time. */
  startProgram(program: ProgramStart): Promise<Program>
  /** Calls a tool READ as the user of the turn that the call belongs to; only within hooks, tools and commands. */
  runTool(call: { readonly name: string; readonly args: Readonly<Record<string, Json>> }): Promise<ToolResult>
}

/** What a tool is given besides. */
export interface ToolContext<Settings = Readonly<Record<string, unknown>>> extends PluginContext<Settings> {
  readonly call: {
    readonly sessionId: string
    readonly turnId: string
    /** The same when the call is repeated after a crash. */
    readonly taskId: string
    readonly user: string
    readonly role: 'ADMIN' | 'USER'
  }
  /** For people; coalesced. */
  progress(progress: { readonly done: number; readonly total?: number; readonly message?: string }): void
}
