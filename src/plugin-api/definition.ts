/** What a plugin is: the object that `definePlugin` takes. */
import type * as z from 'zod'
import type { CommandData, EventName, HookAnswers, HookInputs, HookName, Json } from './hook-inputs.ts'
import type { PluginContext, ToolContext } from './plugin-context.ts'
import type { RuntimeDefinition } from './runtime.ts'

type Awaitable<Value> = Value | Promise<Value>

/** Names → functions; each may be async, and is isolated: what it throws stops nothing. */
export type Hooks<Settings> = {
  readonly [Name in HookName]?: (data: HookInputs[Name], ctx: PluginContext<Settings>) => Awaitable<HookAnswers[Name]>
}

/** A function for models, offered as "<plugin>__<tool>". */
export interface ToolDefinition<Args extends z.ZodObject, Settings> {
  readonly description: string
  /** READ: changes nothing that others see, so it may run side by side and again. Default: WRITE. */
  readonly effect?: 'READ' | 'WRITE'
  readonly arguments: Args
  /** The answer as a text or as JSON. What it throws is shown to the model, which may try something else. */
  run(args: z.output<Args>, ctx: ToolContext<Settings>): Awaitable<Json>
}

/** A line "/name arguments" that people type, and models too when `fromModel` says so. */
export interface CommandDefinition<Settings> {
  readonly description: string
  readonly fromModel?: boolean
  /** True or a text for the user: handled. False: other plugins are asked. */
  run(command: CommandData, ctx: PluginContext<Settings>): Awaitable<boolean | string>
}

/** See docs/plugins.md. Making it must do nothing: I/O belongs into `start`. */
export interface PluginDefinition<
  Shape extends z.ZodObject = z.ZodObject,
  Tools extends Readonly<Record<string, z.ZodObject>> = Readonly<Record<string, z.ZodObject>>,
> {
  /** Lower-case letters, digits and "-", beginning with a letter, at most 32: that of its folder. */
  readonly name: string
  readonly version: string
  /** The version of this interface. */
  readonly api: 1
  readonly title: string
  readonly description: string
  readonly settings?: Shape
  /**
   * Its sections may say `trust: 'SERVER'`: then models take them for the operator's words, and do what they say. Never
   * for a text that others can write. Who installs the plugin is shown this.
   */
  readonly instructs?: boolean
  /**
   * Events that leave a session's log when their turn ends, unless an enabled plugin keeps them; what is kept, it may
   * forget later (`ctx.forget`).
   */
  readonly keeps?: readonly ('thinking' | 'task_progress')[]
  /** The types of events that `onBroadcast` gets, such as "turn_completed"; without it, none. */
  readonly events?: readonly EventName[]
  readonly hooks?: Hooks<z.output<Shape>>
  readonly tools?: { readonly [Name in keyof Tools]: ToolDefinition<Tools[Name], z.output<Shape>> }
  readonly commands?: Readonly<Record<string, CommandDefinition<z.output<Shape>>>>
  /** Models of its own, by lower-case name. */
  readonly runtimes?: Readonly<Record<string, RuntimeDefinition<z.output<Shape>>>>
  /** Within 30 s. What it throws keeps the plugin from being used; it is tried again after a growing pause. */
  start?(ctx: PluginContext<z.output<Shape>>): Awaitable<void>
  /** Within 5 s, then the plugin is ended. */
  stop?(): Awaitable<void>
}
