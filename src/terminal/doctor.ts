/**
 * `factotum doctor`: checks everything that a start needs, and says of each what is wrong and how to mend it. Starts
 * no server; the embedded PostgreSQL runs for as long as it is checked.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findMissingKeys } from '../config/access/api-keys.ts'
import type { Config } from '../config/config.ts'
import { configPath, loadConfig } from '../config/load-config.ts'
import type { Environment } from '../config/schema/environment.ts'
import { AppError, messageOf } from '../core/errors.ts'
import { createCommandRunner } from '../execution/run-command.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { resolveDatabase } from '../store/connection/resolve-database.ts'
import { checkCollector } from './checks/check-collector.ts'
import { checkDatabase } from './checks/check-database.ts'
import { checkModels } from './checks/check-models.ts'
import { addressOf } from '../config/home/listening-file.ts'
import { checkDisks, checkPort, checkProxy } from './checks/check-place.ts'
import { checkRuntimes } from './checks/check-runtimes.ts'
import { checkSketchIndex } from './checks/check-sketch-index.ts'
import { fail, ok, warn, type Finding } from './checks/finding.ts'

export interface DoctorOptions {
  readonly environment: Environment
  readonly home: string
  /** Of the process, for the proxy and the collector. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly keys: { apiKey(name: string): string | null }
  /** Also calls each model, which costs a few tokens. */
  readonly callsModels: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** For tests: another bubblewrap, another disk. */
  readonly bubblewrapPaths?: readonly string[]
  readonly freeBytes?: number
}

/**
 * Nothing can be checked of a home that cannot be used, or where what is set cannot be read: then that is what is
 * found.
 */
export function findPlace<Place extends object>(find: () => Place): Place | Finding {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return fail('home', error.message, 'Mend that first: the other checks need it.')
  }
}

/** In the order in which they are best mended. Rejects only for bugs. */
export async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const { environment, home, env, clock, logger } = options
  const { config, findings } = await checkConfig(home, environment)
  return [
    ...findings,
    ...(await checkDisks(home, options.freeBytes)),
    ...(await checkItsDatabase(options, config)),
    await checkPort(environment, await addressOf({ home, environment, env })),
    await checkSandbox(options),
    ...(await checkProxy(env)),
    ...(await checkCollector(env)),
    ...(config === null ? [] : checkKeys(config, options)),
    ...(config === null || !options.callsModels
      ? []
      : await checkModels({ config, keys: options.keys, proxyEnv: env, clock, logger })),
  ]
}

async function checkConfig(
  home: string,
  environment: Environment,
): Promise<{ readonly config: Config | null; readonly findings: readonly Finding[] }> {
  const path = configPath(home)
  if (!existsSync(path)) {
    return { config: null, findings: [ok('config', `There is no ${path} yet; the first start writes it.`)] }
  }
  try {
    const { config, warnings } = await loadConfig(path, environment)
    const fix = `Change ${path}; a running server takes it over within a second.`
    return {
      config,
      findings: [ok('config', `${path} is valid.`), ...warnings.map((text) => warn('config', text, fix))],
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fix = 'Correct each of them; `factotum --check-config` lists them again.'
    return { config: null, findings: [fail('config', error.message, fix)] }
  }
}

async function checkItsDatabase(
  { environment, home, clock, logger }: DoctorOptions,
  config: Config | null,
): Promise<readonly Finding[]> {
  const check = async (url: string): Promise<readonly Finding[]> => {
    const findings = await checkDatabase(url, { ...environment, clock })
    if (config === null || findings.some(({ verdict }) => verdict === 'FAIL')) return findings
    const meanings = config.embedder === null ? [] : await checkSketchIndex(url, logger)
    return [...findings, ...(await checkRuntimes(url, config)), ...meanings]
  }
  if (environment.databaseUrl !== null) return check(environment.databaseUrl)
  if (!existsSync(join(home, 'pg')))
    return [ok('database', 'None is named: the first start makes the embedded PostgreSQL.')]
  try {
    const database = await resolveDatabase(null, { home, clock, logger })
    try {
      return await check(database.url)
    } finally {
      await database.stop()
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [fail('database', `The embedded PostgreSQL does not start: ${error.message}`, `See ${join(home, 'pg')}.`)]
  }
}

async function checkSandbox({ home, clock, logger, bubblewrapPaths }: DoctorOptions): Promise<Finding> {
  try {
    const commands = await createCommandRunner({
      home,
      clock,
      logger,
      ...(bubblewrapPaths === undefined ? {} : { bubblewrapPaths }),
    })
    const state = commands.sandbox()
    await commands.stop()
    if (state.available) return ok('sandbox', 'Commands of users run in bubblewrap, and could not break out.')
    return warn('sandbox', `${state.reason} Commands of users do not run without it.`, state.fix)
  } catch (error) {
    return fail('sandbox', `No command can be started: ${messageOf(error)}.`, 'See the message.')
  }
}

function checkKeys(config: Config, { keys, home }: DoctorOptions): readonly Finding[] {
  return findMissingKeys(config, keys).map((missing) => {
    const [provider = '', variable = ''] = missing.split(': ')
    const fix = `Write ${variable}=… into ${join(home, '.env')}, or set it in the environment.`
    return fail('keys', `The key of provider "${provider}" is missing.`, fix)
  })
}

const MARKS: Readonly<Record<Finding['verdict'], string>> = { OK: 'ok  ', WARN: 'warn', FAIL: 'FAIL' }

/** A line for each, and what to do below it. */
export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const indent = ' '.repeat(MARKS.OK.length + width + 4)
  const lines = findings.flatMap(({ check, verdict, says, fix }) => [
    `${MARKS[verdict]}  ${check.padEnd(width)}  ${says.replaceAll('\n', `\n${indent}`)}`,
    ...(fix === null ? [] : [`${indent}→ ${fix.replaceAll('\n', `\n${indent}`)}`]),
  ])
  return lines.join('\n')
}

/** 1 when something fails. */
export function exitCodeOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ verdict }) => verdict === 'FAIL') ? 1 : 0
}
