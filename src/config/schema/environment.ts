/**
 * The environment, the flags that overrule it and the file that it overrules, checked. `cli.ts` passes them in; nothing
 * else reads `process.env`. The explanations here are what `--help` prints.
 */
import { resolve } from 'node:path'
import * as z from 'zod'
import type { AppError } from '../../core/errors.ts'
import { must } from '../../platform/must.ts'
import { configError } from '../config-problem.ts'
import { isDatabaseAddress } from '../database-address.ts'
import { says, text } from '../field.ts'
import { DEFAULT_CONNECTIONS, FEWEST_CONNECTIONS } from '../process-connections.ts'

export interface Environment {
  /** Null: the server runs its own PostgreSQL under `home`. */
  readonly databaseUrl: string | null
  readonly databaseConnections: number
  /** 0: any free port. */
  readonly port: number
  readonly host: string
  /** Absolute; null: not said, the default of `config/home/factotum-home.ts` holds. */
  readonly home: string | null
  readonly logLevel: string
  readonly production: boolean
}

/** As given on the command line, not checked yet. */
export interface Flags {
  readonly port?: string
  readonly host?: string
  readonly home?: string
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const quoted = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ')
/** PostgreSQL itself is slower long before. */
const MOST_CONNECTIONS = 1000
const modes = ['development', 'production', 'test'] as const

const environmentSchema = z.object({
  DATABASE_URL: text(
    'must be a PostgreSQL address such as "postgres://user:password@host:5432/database"; of a password, ' +
      '"/", "?", "#" and "%" are written %2F, %3F, %23 and %25',
    isDatabaseAddress,
    { hidden: true },
  )
    .optional()
    .meta({
      description:
        'A PostgreSQL 15 or later to use instead of the embedded one. Direct, not through PgBouncer. Of several hosts (host1:5432,host2:5432) the first that takes writes is used.',
    }),
  DATABASE_CONNECTIONS: text(
    `must be a number from ${FEWEST_CONNECTIONS} to ${MOST_CONNECTIONS}`,
    (value) => /^\d{1,4}$/.test(value) && Number(value) >= FEWEST_CONNECTIONS && Number(value) <= MOST_CONNECTIONS,
  )
    .default(String(DEFAULT_CONNECTIONS))
    .meta({
      description: `How many connections to PostgreSQL this process opens at most; at least ${FEWEST_CONNECTIONS}.`,
    }),
  PORT: text('must be a port from 0 to 65535', (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535)
    .default('4000')
    .meta({ description: 'The port to listen on; 0 for any free one.' }),
  HOST: text('must be an address or a host name', (value) => /^[A-Za-z0-9._:%-]+$/.test(value))
    .default('127.0.0.1')
    .meta({ description: 'The address to listen on; 0.0.0.0 or :: for all.' }),
  FACTOTUM_HOME: text('must be the path of a folder; unset it for the default', (value) => /^[^\0]+$/.test(value))
    .optional()
    .meta({
      description:
        'The folder of everything the server keeps. Default: .factotum in the working directory (for root in a closed one, below /var/lib/factotum).',
    }),
  LOG_LEVEL: z
    .enum(logLevels, says(`must be one of ${quoted(logLevels)}`))
    .default('info')
    .meta({ description: `How much is logged: ${logLevels.join(', ')}.` }),
  NODE_ENV: z
    .enum(modes, says(`must be one of ${quoted(modes)}`))
    .default('development')
    .meta({ description: '"production" turns GraphiQL and introspection off, unless config.toml turns them on.' }),
})

/** The lines of `.env` in FACTOTUM_HOME. */
export interface HomeVariables {
  readonly path: string
  readonly lines: ReadonlyMap<string, string>
}

/**
 * Flags overrule the environment, which overrules the home's `.env`. A variable that is empty counts as not set, but
 * for FACTOTUM_HOME: a script that loses its value must not get another home. Throws CONFIG_INVALID, naming every
 * variable or flag that is wrong.
 */
export function parseEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  flags: Flags = {},
  file: HomeVariables | null = null,
): Environment {
  const found = Object.keys(environmentSchema.shape).map((key) => ({ key, ...find(key, { env, flags, file }) }))
  const parsed = environmentSchema.safeParse(Object.fromEntries(found.map(({ key, value }) => [key, value])))
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => {
      const { name } = must(
        found.find(({ key }) => key === issue.path[0]),
        'an issue is one of a variable',
      )
      return `${name}: ${issue.message}`
    })
    throw configError('environment and flags', lines)
  }
  const { FACTOTUM_HOME: home } = parsed.data
  return {
    databaseUrl: parsed.data.DATABASE_URL ?? null,
    databaseConnections: Number(parsed.data.DATABASE_CONNECTIONS),
    port: Number(parsed.data.PORT),
    host: parsed.data.HOST,
    home: home === undefined ? null : resolve(home),
    logLevel: parsed.data.LOG_LEVEL,
    production: parsed.data.NODE_ENV === 'production',
  }
}

interface Sources {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Flags
  readonly file: HomeVariables | null
}

const FLAG_OF: Readonly<Record<string, keyof Flags>> = { PORT: 'port', HOST: 'host', FACTOTUM_HOME: 'home' }

/** The value, and what to call it in an error. */
function find(key: string, { env, flags, file }: Sources): { value: string | undefined; name: string } {
  const flag = FLAG_OF[key]
  const flagged = flag === undefined ? undefined : flags[flag]
  const line = file?.lines.get(key)
  if (key === 'FACTOTUM_HOME' && file !== null && line !== undefined) throw homeInItself(file.path)
  if (flagged !== undefined) return { value: flagged, name: `--${flag}` }
  const set = env[key]
  if (key === 'FACTOTUM_HOME' || (set !== undefined && set !== '')) return { value: set, name: key }
  return line === undefined ? { value: undefined, name: key } : { value: line, name: `${key} (in ${file?.path})` }
}

function homeInItself(path: string): AppError {
  const problem = 'FACTOTUM_HOME: cannot stand in a file that is found by it; set it in the environment, or with --home'
  return configError(path, [problem])
}

export interface VariableDoc {
  readonly name: string
  /** Null: not set. */
  readonly defaultValue: string | null
  readonly description: string
}

export function describeEnvironment(): readonly VariableDoc[] {
  return Object.entries(environmentSchema.shape).map(([name, field]) => ({
    name,
    defaultValue: field.parse(undefined) ?? null,
    description: field.description ?? '',
  }))
}
