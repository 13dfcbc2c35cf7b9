/** The command line, as an action for `main.ts` to carry out. Pure: checks words, not their values (`environment.ts` does). */
import { parseArgs } from 'node:util'
import { didYouMean } from './closest.ts'
import type { Flags } from './environment.ts'

export type Action =
  | { readonly kind: 'serve'; readonly flags: Flags }
  /** Read config.toml, report, and exit: 0 when it is valid. */
  | { readonly kind: 'check-config'; readonly flags: Flags }
  /** Print a new token. */
  | { readonly kind: 'token' }
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
} as const

const commands = ['serve', 'token']

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
  if (surplus !== undefined) return misuse(`"${surplus}" is one word too many.`)

  const { port, host, home } = values
  const flags = {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(home !== undefined && { home }),
  }
  if (command === 'serve') return { kind: values['check-config'] === true ? 'check-config' : 'serve', flags }
  const surplusFlag = Object.keys(values)[0]
  return surplusFlag === undefined
    ? { kind: 'token' }
    : misuse(`"factotum token" takes no options, but got --${surplusFlag}.`)
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
