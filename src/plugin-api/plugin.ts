/**
 * What plugins import as "factotum/plugin", wherever their folder lies. It runs in threads of the server and imports
 * nothing of it.
 */
import * as z from 'zod'
import type { PluginDefinition } from './definition.ts'

export { z }
export type { CommandDefinition, PluginDefinition, ToolDefinition } from './definition.ts'
export type * from './hook-inputs.ts'
export type { Program, ProgramStart } from './program.ts'
export type * from './runtime.ts'
export type { PluginContext, PluginLogger, PluginState, ToolContext, ToolResult } from './plugin-context.ts'

/** The default export of a plugin's module. Checks nothing: the server does when it loads it. */
export function definePlugin<
  Shape extends z.ZodObject,
  Tools extends Readonly<Record<string, z.ZodObject>> = Record<string, never>,
>(definition: PluginDefinition<Shape, Tools>): PluginDefinition<Shape, Tools> {
  return definition
}

/** A setting that holds the NAME of a deploy secret (a line of .env); `ctx.secret` has its value. */
export function secret(description: string): z.ZodString {
  return z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be the NAME of a deploy secret, such as "WEATHER_API_KEY"')
    .meta({ description, secret: true })
}
