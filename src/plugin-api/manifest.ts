/** What a plugin says of itself, as plain data: made where the plugin runs, checked and kept by the server. */
import * as z from 'zod'
import { isStorableJson } from '../platform/well-formed.ts'
import type { PluginDefinition } from './definition.ts'
import { EVENT_NAMES, HOOK_NAMES } from './hook-inputs.ts'
import { unknownKeys } from './unknown-keys.ts'
import { unsendable } from './unsendable.ts'

/** Models and people read these: data, bounded. */
const sentence = z.string().min(1).max(1000)
const word = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,47}$/,
    'must be letters, digits, "_" and "-", at most 48, beginning with a letter or a digit',
  )
/** Of "<plugin>__<tool>": models take no longer names. */
const MAX_TOOL_NAME_CHARS = 64
const plainName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be lower-case letters, digits and "-", at most 32, beginning with a letter')
const schema = z.record(z.string(), z.json())
const OTHER_API = 'must be 1: this server knows no other interface'
const UNSTORABLE = 'must not hold NUL characters or halves of surrogate pairs'
const event = z.enum(EVENT_NAMES, {
  error: ({ input }) => `there is no event of type "${String(input)}", but ${EVENT_NAMES.join(', ')}`,
})

const parts = z.strictObject({
  name: plainName,
  version: z.string().min(1).max(64),
  api: z.literal(1, OTHER_API),
  title: z.string().min(1).max(100),
  description: sentence,
  /** The JSON schema of its settings. */
  settingsSchema: schema,
  /** The settings that hold names of deploy secrets. */
  secretSettings: z.array(z.string()).max(20),
  /** Its sections may be the operator's own words. */
  instructs: z.boolean(),
  /** Events that stay in the log because of it. */
  keeps: z.array(z.enum(['thinking', 'task_progress'])).max(2),
  events: z.array(event).max(64),
  hooks: z.array(z.enum(HOOK_NAMES)),
  tools: z
    .array(z.strictObject({ name: word, description: sentence, effect: z.enum(['READ', 'WRITE']), parameters: schema }))
    .max(64),
  runtimes: z.array(z.strictObject({ name: plainName, description: sentence })).max(8),
  commands: z.array(z.strictObject({ name: word, description: sentence, fromModel: z.boolean() })).max(64),
})
export const manifestSchema = parts.check(({ value, issues }) => {
  const broken = Object.entries(value).filter(([, part]) => !isStorableJson(part))
  for (const [key] of broken) issues.push({ code: 'custom', message: UNSTORABLE, input: value, path: [key] })
})
export type PluginManifest = z.output<typeof manifestSchema>

/** Throws an Error that says what is wrong with the module's default export. */
export function describePlugin(exported: unknown): PluginManifest {
  if (!isDefinition(exported)) throw new Error('its module has no default export made by definePlugin')
  const {
    name,
    version,
    api,
    title,
    description,
    settings,
    instructs = false,
    keeps = [],
    events = [],
    hooks = {},
    tools = {},
    commands = {},
    runtimes = {},
  } = exported
  if (api !== 1) throw new Error(`api: ${OTHER_API}`)
  requireParts(exported)
  if (hooks.onBroadcast !== undefined && events.length === 0)
    throw new Error(`events: names none, so hooks.onBroadcast is never called; it may name ${EVENT_NAMES.join(', ')}`)
  const secretSettings = Object.entries(settings?.shape ?? {}).filter(([, field]) => isSecret(field))
  const described = {
    name,
    version,
    api,
    title,
    description,
    instructs,
    keeps: [...keeps],
    events: [...events],
    settingsSchema: settings === undefined ? { type: 'object' } : jsonSchemaOf(settings),
    secretSettings: secretSettings.map(([key]) => key),
    hooks: Object.keys(hooks).filter((hook) => hooks[hook as keyof typeof hooks] !== undefined),
    tools: Object.entries(tools).map(([tool, { description, effect = 'WRITE', arguments: args }]) => ({
      name: tool,
      description,
      effect,
      parameters: jsonSchemaOf(args),
    })),
    runtimes: Object.entries(runtimes).map(([runtime, { description }]) => ({ name: runtime, description })),
    commands: Object.entries(commands).map(([command, { description, fromModel = false }]) => ({
      name: command,
      description,
      fromModel,
    })),
  }
  const { data, error } = manifestSchema.safeParse(described)
  if (data === undefined) throw new Error(problemsOf(byName(error, described)))
  requireShortNames(data)
  return data
}

/** One that is too long would be offered to no model, without a word. */
function requireShortNames({ name, tools }: PluginManifest): void {
  for (const { name: tool } of tools) {
    const { length } = `${name}__${tool}`
    if (length > MAX_TOOL_NAME_CHARS)
      throw new Error(
        `tools.${tool}: "${name}__${tool}" has ${length} characters, and a model takes ${MAX_TOOL_NAME_CHARS}: shorten it`,
      )
  }
}

/** Its parts have names where they are written: "tools.roll.description", not "tools.0.description". */
function byName(error: z.ZodError, described: Pick<PluginManifest, 'tools' | 'commands' | 'runtimes'>): z.ZodError {
  const issues = error.issues.map((issue) => {
    const [part, index, ...rest] = issue.path
    const isNamed = part === 'tools' || part === 'commands' || part === 'runtimes'
    const name = isNamed && typeof index === 'number' ? described[part][index]?.name : undefined
    return part === undefined || name === undefined ? issue : { ...issue, path: [part, name, ...rest] }
  })
  return new z.ZodError(issues)
}

/** Plugins may be plain JavaScript, and their types are stripped, not checked. */
function requireParts(definition: PluginDefinition): void {
  const unknown = unknownKeys(definition)
  if (unknown.length > 0) throw new Error(unknown.join('; '))
  for (const key of ['start', 'stop']) if (has(definition, key)) requireFunction(definition, key)
  for (const hook of namesIn(definition, 'hooks')) requireFunction(definition.hooks, hook, 'hooks.')
  for (const name of namesIn(definition, 'tools')) {
    const tool = requireEntry(definition.tools, name, 'tools.')
    requireFunction(tool, 'run', `tools.${name}.`)
    requireSchema(Reflect.get(tool, 'arguments'), `tools.${name}.arguments`)
  }
  for (const name of namesIn(definition, 'commands'))
    requireFunction(requireEntry(definition.commands, name, 'commands.'), 'run', `commands.${name}.`)
  for (const name of namesIn(definition, 'runtimes'))
    requireFunction(requireEntry(definition.runtimes, name, 'runtimes.'), 'open', `runtimes.${name}.`)
  if (definition.settings !== undefined) requireSchema(definition.settings, 'settings')
}

function has(owner: object, key: string): boolean {
  return Reflect.get(owner, key) !== undefined
}

/** Of what has names that the author chooses, or that are those of hooks. */
function namesIn(definition: object, part: string): readonly string[] {
  if (!has(definition, part)) return []
  const named = requireEntry(definition, part)
  return Object.keys(named).filter((name) => has(named, name))
}

function requireEntry(owner: object = {}, key: string, prefix = ''): object {
  const value: unknown = Reflect.get(owner, key)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new Error(`${prefix}${key}: must be an object`)
}

function requireFunction(owner: object = {}, key: string, prefix = ''): void {
  if (typeof Reflect.get(owner, key) !== 'function') throw new Error(`${prefix}${key}: must be a function`)
}

function requireSchema(value: unknown, path: string): void {
  if (!(value instanceof z.core.$ZodObject)) throw new Error(`${path}: must be made by z.object({ … })`)
  const problems = unsendable(value, path)
  if (problems.length > 0) throw new Error(problems.join('; '))
}

/** "settings.city: must be …; settings.unit: …", in one line. */
export function problemsOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => [...(path.length > 0 ? [path.join('.')] : []), message].join(': '))
    .join('; ')
}

function isDefinition(value: unknown): value is PluginDefinition {
  return typeof value === 'object' && value !== null && 'name' in value
}

/** Also behind `.optional()`, `.nullable()`, `.default()` and their like, in any order. */
function isSecret(field: unknown): boolean {
  if (!(field instanceof z.ZodType)) return false
  if (field.meta()?.['secret'] === true) return true
  const { innerType } = field.def as { readonly innerType?: unknown }
  return isSecret(innerType)
}

function jsonSchemaOf(type: z.ZodObject): z.output<typeof schema> {
  const { $schema: _, ...rest } = z.toJSONSchema(type, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' })
  return schema.parse(JSON.parse(JSON.stringify(rest)))
}
