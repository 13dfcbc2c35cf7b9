/**
 * What `factotum --help` prints. Variables and settings are described by their own schemas, so this cannot drift from
 * them.
 */
import { stringify } from 'smol-toml'
import { PROMPT_NAMES } from '../../core/model-call.ts'
import { describeEnvironment } from '../schema/environment.ts'
import { describeSettings } from '../schema/settings-schema.ts'

export interface HelpOptions {
  /** The lines that the rehearsal model understands, from the model itself. */
  readonly rehearsalGrammar: string
}

const USAGE = `Usage (from a checkout: npx factotum …; all but "serve" take --home or FACTOTUM_HOME as the server does)
  factotum [serve] [options]   Starts the server.
  factotum login [--user <user>]
                               Prints a link that logs in to the console, once, within five minutes; without --user as the only admin.
                               It stands for a token of the user: what ends the token ends the login. With the --host and --port
                               of the server, unless public_url says how people reach it.
  factotum token [--user <user>] [--kind connector [--namespace <name>]] [--name <name>] [--print]
                               Makes another token, writes its hash into config.toml and shows it, once. Without options it is the
                               only admin's. --print changes no file, and shows what to paste into it.
  factotum doctor [--models] [--json]
                               Looks at config.toml, disk, database, migrations, clock, port, sandbox, proxy and keys, and says how to
                               mend what is wrong (exit code 1). --models also calls each model, which costs a few tokens.
  factotum models check [--json]
                               Calls each model of config.toml once, and says what works.
  factotum skill install <git URL or folder> [--name <folder>] [--no-deps] [--yes]
                               Installs a skill. Shows its deps.sh and asks before running it; --yes does not ask, --no-deps
                               does not run it. A running server sees the skill at once; allow it in [users.<name>] skills.
  factotum skill list          Lists the skills, and the folders that hold none that works.
  factotum skill update <name> | --all
                               Fetches a skill again from where it came from; if that fails, the old one stays.
  factotum skill remove <name> Removes a skill.
  factotum plugin install <folder> [--yes]
                               Installs a plugin. Asks before it runs any of it, shows what it asks for, and asks again. It is off
                               until an admin enables it.
  factotum plugin list         Lists the plugins that are installed.
  factotum plugin remove <name>
                               Removes a plugin; its settings stay.
  factotum audit verify [--day <day>]
                               Recomputes the chain of hashes over the audit: whether an entry was changed, removed or added
                               (exit code 1). Shows the newest hash: kept elsewhere, it proves all that came before it.
  factotum session export <id> [--out <file>]
                               Writes a session as JSON Lines: people, messages, turns with all that came of them, memory, the log.
                               Not in it: secrets, the webhook, files, facts, the audit. Without --out, to standard output.
  factotum session import <file | -> [--as <id>]
                               Reads such a file, whole or, when a line is wrong, not at all. Refused when there is a session of this
                               id; with --as, the session and everything in it get new ids. Turns that were open are CANCELLED.`

export function helpText({ rehearsalGrammar }: HelpOptions): string {
  return `Factotum: a self-hosted GraphQL backend for AI-agent sessions.

${USAGE}

Options
  --port <n>       The port to listen on. Overrules PORT.
  --host <address> The address to listen on. Overrules HOST.
  --home <folder>  The folder of everything the server keeps. Overrules FACTOTUM_HOME.
  --check-config   Checks config.toml, lists everything that is wrong with it, and exits (0: valid).
  -v, --version    Prints the version.
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

Environment
${table(describeEnvironment().map(({ name, defaultValue, description }) => [name, defaultValue ?? '', description]))}

Files, below FACTOTUM_HOME
${table([
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
  ['sessions/<id>/', 'The workspaces in which the commands of a session run.'],
  ['pg/', 'The data of the built-in PostgreSQL.'],
])}

Settings, in the section [settings] of config.toml, with their defaults
${table(describeSettings(false).map(({ key, defaultValue, description }) => [key, toToml(defaultValue), description]))}

Signals
  SIGTERM, SIGINT  Takes no new turns, lets running ones finish (drain_timeout), hands over the rest, and exits.
  SIGHUP           Reads config.toml again at once.

Rehearsal model, while no provider is configured. It is no language model: it does what the lines of a message say.
${indent(rehearsalGrammar)}`
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
