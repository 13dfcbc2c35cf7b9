/**
 * The command line, as an action for `cli.ts` to carry out. Pure: checks words, not their values (`environment.ts`
 * does).
 */
import { parseArgs } from 'node:util'
import { parseAuditAction, type AuditAction } from './audit-action.ts'
import { didYouMean } from '../closest.ts'
import type { Flags } from '../schema/environment.ts'
import { parsePluginAction, type PluginAction } from './plugin-action.ts'
import { parseSessionAction, type SessionAction } from './session-action.ts'
import { parseSkillAction, type SkillAction } from './skill-action.ts'
import { parseTokenAction, type TokenAction } from './token-action.ts'

export type Action =
  | { readonly kind: 'serve'; readonly flags: Flags }
  /** Read config.toml, report, and exit: 0 when it is valid. */
  | { readonly kind: 'check-config'; readonly flags: Flags }
  /** Make a token. */
  | { readonly kind: 'token'; readonly flags: Flags; readonly action: TokenAction }
  /** Install, list, update or remove skills. */
  | { readonly kind: 'skill'; readonly flags: Flags; readonly action: SkillAction }
  /** Install, list or remove plugins. */
  | { readonly kind: 'plugin'; readonly flags: Flags; readonly action: PluginAction }
  /** Verify the audit. */
  | { readonly kind: 'audit'; readonly flags: Flags; readonly action: AuditAction }
  /** Export or import a session. */
  | { readonly kind: 'session'; readonly flags: Flags; readonly action: SessionAction }
  /** Look at everything that a start needs. */
  | { readonly kind: 'doctor'; readonly flags: Flags; readonly callsModels: boolean; readonly json: boolean }
  /** Print a link that logs in to the console; `user` null: the only admin. */
  | { readonly kind: 'login'; readonly flags: Flags; readonly user: string | null }
  /** Call each model once. */
  | { readonly kind: 'models-check'; readonly flags: Flags; readonly json: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** Print `message` to stderr and exit with 2. */
  | { readonly kind: 'misuse'; readonly message: string }

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  port: { type: 'string' },
  host: { type: 'string' },
  home: { type: 'string' },
  'check-config': { type: 'boolean' },
  name: { type: 'string' },
  'no-deps': { type: 'boolean' },
  yes: { type: 'boolean' },
  all: { type: 'boolean' },
  day: { type: 'string' },
  out: { type: 'string' },
  as: { type: 'string' },
  kind: { type: 'string' },
  user: { type: 'string' },
  namespace: { type: 'string' },
  print: { type: 'boolean' },
  models: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const commands = ['serve', 'login', 'token', 'skill', 'plugin', 'audit', 'session', 'doctor', 'models']
/** The server's; all others are only those of other commands. */
const serverFlags = new Set(['help', 'version', 'port', 'host', 'home', 'check-config'])

/** `args` without the program's own name. */
export function parseCommandLine(args: readonly string[]): Action {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(args)
  } catch (error) {
    return misuse(describeParseError(error))
  }
  const { values, positionals } = parsed
  const [command = 'serve', surplus] = positionals
  if (values.help === true || command === 'help') return { kind: 'help' }
  if (values.version === true) return { kind: 'version' }
  if (!commands.includes(command)) return misuse(`There is no command "${command}"${didYouMean(command, commands)}.`)
  if (command === 'skill') return skillAction(positionals.slice(1), values)
  if (command === 'plugin') return pluginAction(positionals.slice(1), values)
  if (command === 'audit') return auditAction(positionals.slice(1), values)
  if (command === 'session') return sessionAction(positionals.slice(1), values)
  if (command === 'token') return tokenAction(positionals.slice(1), values)
  if (command === 'models') return modelsAction(positionals.slice(1), values)
  if (surplus !== undefined) return misuse(`"${surplus}" is one word too many.`)

  const { port, host, home } = values
  const flags = {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(home !== undefined && { home }),
  }
  if (command === 'doctor') return doctorAction(flags, values)
  if (command === 'login') return loginAction(flags, values)
  const wrong = Object.keys(values).find((flag) => !serverFlags.has(flag))
  if (wrong !== undefined) return misuse(`"factotum serve" takes no option --${wrong}.`)
  return { kind: values['check-config'] === true ? 'check-config' : 'serve', flags }
}

type Values = ReturnType<typeof parse>['values']

function skillAction(words: readonly string[], values: Values): Action {
  const { home, ...rest } = values
  const action = parseSkillAction(words, rest)
  if (typeof action === 'string') return misuse(action)
  return { kind: 'skill', flags: home === undefined ? {} : { home }, action }
}

function pluginAction(words: readonly string[], values: Values): Action {
  const { home, ...rest } = values
  const action = parsePluginAction(words, rest)
  if (typeof action === 'string') return misuse(action)
  return { kind: 'plugin', flags: home === undefined ? {} : { home }, action }
}

function auditAction(words: readonly string[], values: Values): Action {
  const { home, ...rest } = values
  const action = parseAuditAction(words, rest)
  if (typeof action === 'string') return misuse(action)
  return { kind: 'audit', flags: home === undefined ? {} : { home }, action }
}

function sessionAction(words: readonly string[], values: Values): Action {
  const { home, ...rest } = values
  const action = parseSessionAction(words, rest)
  if (typeof action === 'string') return misuse(action)
  return { kind: 'session', flags: home === undefined ? {} : { home }, action }
}

const doctorFlags = new Set(['port', 'host', 'home', 'models', 'json'])

function doctorAction(flags: Flags, values: Values): Action {
  const wrong = Object.keys(values).find((flag) => !doctorFlags.has(flag))
  if (wrong !== undefined) return misuse(`"factotum doctor" takes no option --${wrong}.`)
  return { kind: 'doctor', flags, callsModels: values.models === true, json: values.json === true }
}

const loginFlags = new Set(['port', 'host', 'home', 'user'])

function loginAction(flags: Flags, values: Values): Action {
  const wrong = Object.keys(values).find((flag) => !loginFlags.has(flag))
  if (wrong !== undefined) return misuse(`"factotum login" takes no option --${wrong}.`)
  return { kind: 'login', flags, user: values.user ?? null }
}

function modelsAction(words: readonly string[], { home, json, ...rest }: Values): Action {
  const [command, surplus] = words
  if (command !== 'check') return misuse('"factotum models" needs one of: check.')
  if (surplus !== undefined) return misuse(`"${surplus}" is one word too many.`)
  const wrong = Object.keys(rest)[0]
  if (wrong !== undefined) return misuse(`"factotum models check" takes no option --${wrong}.`)
  return { kind: 'models-check', flags: home === undefined ? {} : { home }, json: json === true }
}

function tokenAction(words: readonly string[], values: Values): Action {
  const { home, ...rest } = values
  const action = parseTokenAction(words, rest)
  if (typeof action === 'string') return misuse(action)
  return { kind: 'token', flags: home === undefined ? {} : { home }, action }
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
}

function misuse(message: string): Action {
  return { kind: 'misuse', message: `${message} "factotum --help" explains everything.` }
}

function describeParseError(error: unknown): string {
  if (!(error instanceof TypeError)) throw error
  const unknown = /Unknown option '-{1,2}([^']+)'/.exec(error.message)?.[1]
  if (unknown === undefined) return `${error.message.split('. ')[0]?.replace(/\.$/, '')}.`
  return `There is no option "${unknown}"${didYouMean(unknown, Object.keys(options))}.`
}
