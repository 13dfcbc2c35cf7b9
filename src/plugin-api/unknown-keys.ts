/**
 * Keys of a plugin's definition that nothing reads: what they were meant for would be missing without a word. Plugins
 * may be plain JavaScript, and their types are stripped, not checked.
 */
import { didYouMean } from '../platform/closest.ts'
import type { CommandDefinition, PluginDefinition, ToolDefinition } from './definition.ts'
import { HOOK_NAMES } from './hook-inputs.ts'
import type { RuntimeDefinition } from './runtime.ts'

/** All keys of a type, each once: one that is added to the type is missed here by the compiler. */
type Keys<Type> = Readonly<Record<keyof Type, true>>

const DEFINITION: Keys<PluginDefinition> = {
  name: true,
  version: true,
  api: true,
  title: true,
  description: true,
  settings: true,
  instructs: true,
  keeps: true,
  events: true,
  hooks: true,
  tools: true,
  commands: true,
  runtimes: true,
  start: true,
  stop: true,
}
const TOOL: Keys<ToolDefinition<never, unknown>> = { description: true, effect: true, arguments: true, run: true }
const COMMAND: Keys<CommandDefinition<unknown>> = { description: true, fromModel: true, run: true }
const RUNTIME: Keys<RuntimeDefinition<unknown>> = { description: true, open: true }

/** Parts that have names which their author chooses. */
const PARTS = { tools: TOOL, commands: COMMAND, runtimes: RUNTIME }

/** Each a clause that names the key, its place and the nearest one that there is. Empty: all of them are known. */
export function unknownKeys(definition: object): readonly string[] {
  return [
    ...problemsIn(definition, Object.keys(DEFINITION), { prefix: '', what: 'key' }),
    ...problemsIn(Reflect.get(definition, 'hooks'), HOOK_NAMES, { prefix: 'hooks.', what: 'hook' }),
    ...Object.entries(PARTS).flatMap(([part, known]) =>
      writtenIn(Reflect.get(definition, part)).flatMap(([name, value]) =>
        problemsIn(value, Object.keys(known), { prefix: `${part}.${name}.`, what: 'key' }),
      ),
    ),
  ]
}

function problemsIn(
  value: unknown,
  known: readonly string[],
  { prefix, what }: { readonly prefix: string; readonly what: string },
): readonly string[] {
  return writtenIn(value)
    .filter(([key]) => !known.includes(key))
    .map(([key]) => `${prefix}${key}: there is no such ${what}${didYouMean(key, known)}, but ${known.join(', ')}`)
}

/** Of an object as it is written in a module: an instance of a class may keep fields of its own beside the known. */
function writtenIn(value: unknown): readonly (readonly [string, unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  const made: unknown = Object.getPrototypeOf(value)
  const isWritten = made === Object.prototype || made === null
  return isWritten ? Object.entries(value).filter(([, one]) => one !== undefined) : []
}
