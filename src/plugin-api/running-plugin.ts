/**
 * A plugin that runs: its definition with what the server gives it. The same for a plugin in a thread and for one in
 * the server.
 */
import type { PluginDefinition } from './definition.ts'
import type { Json } from './hook-inputs.ts'
import { describePlugin, problemsOf, type PluginManifest } from './manifest.ts'
import { textOfError } from './messages.ts'
import type { LogLevel, PluginCall, PluginStart, ProgressData, ServerRequest } from './messages.ts'
import type { PluginContext, ToolContext, ToolResult } from './plugin-context.ts'
import { startProgram } from './program.ts'
import { RuntimeSessions } from './runtime-sessions.ts'

/** The server as the plugin reaches it. `call`: during which call it asks; null: outside of any. */
export interface ServerPort {
  /** Rejects with an Error that says what to change. */
  ask(request: ServerRequest, call: number | null): Promise<Json>
  log(level: LogLevel, message: string, fields: Json): void
}

/** Of a log line, or of what progress says. */
const MAX_LINE_CHARS = 1000

/** Of one call. */
export interface CallOptions {
  readonly id: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: ProgressData) => void
}

export class RunningPlugin {
  readonly manifest: PluginManifest
  readonly #definition: PluginDefinition
  readonly #port: ServerPort
  readonly #runtimes: RuntimeSessions
  readonly #ending = new AbortController()
  #start: PluginStart = { settings: {}, secrets: {} }
  #settings: Readonly<Record<string, unknown>> = {}
  #wasStarted = false

  /** Throws an Error that says what is wrong with the definition. */
  constructor(exported: unknown, port: ServerPort) {
    this.manifest = describePlugin(exported)
    this.#definition = exported as PluginDefinition
    this.#port = port
    this.#runtimes = new RuntimeSessions(this.#definition.runtimes ?? {})
  }

  /** What is wrong with the settings, in one line; null: nothing. */
  checkSettings(settings: Json): string | null {
    const checked = this.#definition.settings?.safeParse(settings)
    return checked?.error === undefined ? null : problemsOf(checked.error)
  }

  /** Rejects when the settings are wrong, or with what the plugin throws. */
  async start(start: PluginStart): Promise<void> {
    const problem = this.checkSettings(start.settings)
    if (problem !== null) throw new Error(problem)
    this.#start = start
    this.#settings = this.#definition.settings?.parse(start.settings) ?? {}
    this.#wasStarted = true
    await this.#definition.start?.(this.#context({ id: null, signal: this.#ending.signal }))
  }

  /** What the plugin answers; undefined is null. Rejects with what it throws. */
  async call(call: PluginCall, options: CallOptions): Promise<Json> {
    const answer = await this.#answerOf(call, options)
    if (typeof answer === 'function' || typeof answer === 'symbol') throw new Error('it answered no JSON')
    return (answer ?? null) as Json
  }

  #answerOf(call: PluginCall, options: CallOptions): unknown {
    switch (call.kind) {
      case 'HOOK':
        return this.#callHook(call, options)
      case 'TOOL':
        return this.#callTool(call, options)
      case 'RUNTIME':
        return this.#runtimes.call(call, this.#runtimeContext(options.signal))
    }
  }

  /** What a runtime asks for outlives the call in which it was opened. */
  #runtimeContext(signal: AbortSignal): PluginContext {
    return this.#context({ id: null, signal })
  }

  /** Rejects with what the plugin throws. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#runtimes.closeAll()
    if (this.#wasStarted) await this.#definition.stop?.()
  }

  #callHook({ hook, data }: Extract<PluginCall, { kind: 'HOOK' }>, options: CallOptions): unknown {
    const { hooks = {}, commands = {} } = this.#definition
    const ctx = this.#context(options)
    if (hook === 'onCommand') {
      const command = data as Parameters<NonNullable<typeof hooks.onCommand>>[0]
      if (Object.hasOwn(commands, command.name)) return commands[command.name]?.run(command, ctx)
    }
    const run = hooks[hook] as ((data: unknown, ctx: PluginContext) => unknown) | undefined
    return run?.(data, ctx)
  }

  async #callTool({ tool, args, call }: Extract<PluginCall, { kind: 'TOOL' }>, options: CallOptions): Promise<unknown> {
    const { tools = {} } = this.#definition
    const found = Object.hasOwn(tools, tool) ? tools[tool] : undefined
    if (found === undefined) throw new Error(`there is no tool ${tool}`)
    const { data, error } = found.arguments.safeParse(args)
    if (data === undefined) throw new Error(problemsOf(error))
    const progress: ToolContext['progress'] = ({ done, total = null, message = null }) =>
      options.onProgress({
        done: numberOf(done),
        total: total === null ? null : numberOf(total),
        message: textOf(message),
      })
    return found.run(data, { ...this.#context(options), call, progress })
  }

  #context({ id, signal }: { readonly id: number | null; readonly signal: AbortSignal }): PluginContext {
    const ask = (request: ServerRequest): Promise<Json> => this.#port.ask(request, id)
    const { secrets } = this.#start
    const send = async (request: ServerRequest): Promise<void> => void (await ask(request))
    const log =
      (level: LogLevel) =>
      (message: unknown, fields: Json = {}) =>
        this.#port.log(level, textOf(message) ?? textOfError(message), fields)
    return {
      settings: this.#settings,
      signal,
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      state: {
        get: (key) => ask({ what: 'STATE_GET', key }),
        set: (key, value) => send({ what: 'STATE_SET', key, value }),
        delete: (key) => send({ what: 'STATE_DELETE', key }),
        keys: async (prefix = '') => (await ask({ what: 'STATE_KEYS', key: prefix })) as readonly string[],
      },
      secret: (setting) => (Object.hasOwn(secrets, setting) ? (secrets[setting] ?? null) : null),
      sendMessage: (message) => send({ what: 'SEND_MESSAGE', ...message }),
      appendMessage: (message) => send({ what: 'APPEND_MESSAGE', ...message }),
      record: (event) => send({ what: 'RECORD', ...event }),
      forget: async (older) => (await ask({ what: 'FORGET', ...older })) as number,
      startProgram: (program) => startProgram(ask, program),
      runTool: async (call) => (await ask({ what: 'RUN_TOOL', ...call })) as unknown as ToolResult,
    }
  }
}

function numberOf(value: number): number {
  return Number.isFinite(value) ? value : 0
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, MAX_LINE_CHARS) : null
}
