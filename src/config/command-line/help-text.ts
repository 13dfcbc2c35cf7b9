/**
 * What `factotum --help` prints. Variables and settings are described by their own schemas, so this cannot drift from
 * them.
 */
import type { Command } from 'commander'
import { stringify } from 'smol-toml'
import { PROMPT_NAMES } from '../../core/model-call.ts'
import { describeEnvironment } from '../schema/environment.ts'
import { describeSettings } from '../schema/settings-schema.ts'
import { allCommands, pathOf } from './command-line.ts'
import { declareCommands } from './declare-commands.ts'

export interface HelpOptions {
  /** The lines that the rehearsal model understands, from the model itself. */
  readonly rehearsalGrammar: string
}

const USAGE = `Usage (from a checkout: npx factotum …; all but "serve" take --home or FACTOTUM_HOME as the server does)`
const FILES = [
  [
    'config.toml',
    'Tokens, users, providers, models, prices, budgets, quotas, approvals, settings; commented. Changes are taken over within a second.',
  ],
  [
    '.env',
    'API keys of providers, and any variable above but FACTOTUM_HOME, one NAME=value per line. The real environment wins. Should be readable only by you.',
  ],
  [
    'roles/<role>.md',
    `Your own system prompts instead of the built-in ones: ${PROMPT_NAMES.slice(0, -1).join(', ')} and ${PROMPT_NAMES.at(-1)}.`,
  ],
  ['skills/<folder>/', 'Skills: folders with kiso.toml or skill.toml and run.py, run.js or another program.'],
  ['plugins/<name>/', 'Plugins: folders with plugin.ts, plugin.js or the module that package.json names.'],
  ['context/', 'Markdown files that each turn is shown as your words, while the plugin "context" is enabled.'],
  ['mcp/<name>/', 'The folder in which the program of [mcp.<name>] runs, which it may write.'],
  ['programs/<plugin>/', 'The folder in which the programs of a plugin run, which they may write.'],
  ['sessions/<id>/', 'The workspaces in which the commands of a session run.'],
  ['pub/', 'Copies of the files that sessions have published.'],
  ['node_modules/', 'Packages of plugins: those that "factotum plugin install" put there.'],
  ['pg/', 'The data of the built-in PostgreSQL.'],
]

/** Where descriptions begin, and where they end. */
const [LEFT, RIGHT] = [31, 130]

export function helpText({ rehearsalGrammar }: HelpOptions): string {
  return `Factotum: a self-hosted GraphQL backend for AI-agent sessions.

${USAGE}
${allCommands(declareCommands(() => {}))
  .filter((command) => command.commands.length === 0)
  .map(describeCommand)
  .join('\n')}

Options
  --port <n>       The port to listen on. Overrules PORT.
  --host <address> The address to listen on. Overrules HOST.
  --home <folder>  The folder of everything the server keeps. Overrules FACTOTUM_HOME.
  --paused         Only answers: no turn, schedule, job, delivery or plugin moves. For a copy that was restored.
  --check-config   Checks config.toml, lists everything that is wrong with it, and exits (0: valid).
  -v, --version    Prints the version, and the commit that it was built of.
  -h, --help       Prints this.

First start
  Without a config.toml the server writes a commented one with a user "admin" and a token, prints the token once, and serves.
  "factotum token" makes another one.
  It needs no database and no API key: PostgreSQL is built in, and so is a rehearsal model.

Addresses (with the default host and port)
  http://127.0.0.1:4000/graphql   The API: POST, Server-Sent Events and WebSocket (graphql-transport-ws). Every request
                                  carries "Authorization: Bearer <token>", a WebSocket connectionParams.authorization.
                                  In a browser this address shows GraphiQL: put the header under "Headers".
  http://127.0.0.1:4000/health    The process is up.
  http://127.0.0.1:4000/ready     Whether it can do its work; with an admin's token: database, migrations, sandbox and model.
  http://127.0.0.1:4000/metrics   Figures for Prometheus, with an admin's token; without one on the address metrics_listen.

Environment of the commands that talk to a server (those with --url)
  FACTOTUM_URL    The server. Default: where the server of this home listens.
  FACTOTUM_TOKEN  The token. Default, for a server on this machine: one for its only admin, which the first of these commands
                  makes and keeps in terminal-token below FACTOTUM_HOME. It is no option, because others can read a command line.

Environment
${table(describeEnvironment().map(({ name, defaultValue, description }) => [name, defaultValue ?? '', description]))}

Files, below FACTOTUM_HOME
${table(FILES)}

Settings, in the section [settings] of config.toml, with their defaults
${table(describeSettings(false).map(({ key, defaultValue, description }) => [key, toToml(defaultValue), description]))}

Signals
  SIGTERM, SIGINT  Takes no new turns, lets running ones finish (drain_timeout), hands over the rest, and exits.
  SIGHUP           Reads config.toml again at once.

Rehearsal model, while no provider is configured. It is no language model: it does what the lines of a message say.
${indent(rehearsalGrammar)}`
}

/** Its usage, and beside it, or below where that is long, what it does. */
function describeCommand(command: Command): string {
  const usage = `  ${usageOf(command)}`
  const lines = wrap(command.description(), RIGHT - LEFT).map((line) => ' '.repeat(LEFT) + line)
  if (usage.length >= LEFT) return [usage, ...lines].join('\n')
  return [usage.padEnd(LEFT) + (lines[0] ?? '').trimStart(), ...lines.slice(1)].join('\n')
}

function usageOf(command: Command): string {
  if (command.name() === 'serve') return 'factotum [serve] [options]'
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? '…' : ''}`
    return argument.required ? `<${word}>` : `[${word}]`
  })
  const options = command.options.filter(({ long }) => !PLACE.has(long ?? '')).map(({ flags }) => `[${flags}]`)
  return ['factotum', pathOf(command), ...words, ...options].join(' ')
}

/** What is said of all commands at once. */
const PLACE: ReadonlySet<string> = new Set(['--home', '--port', '--host', '--url'])

function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line === '') lines[lines.length - 1] = word
    else if (line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${line} ${word}`
  }
  return lines
}

/** Rows with their columns aligned. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd())
    .join('\n')
}

function toToml(value: unknown): string {
  return stringify({ value }).trim().replace('value = ', '')
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}
