/**
 * The providers' API keys: variables of the real environment, or lines of `.env` in FACTOTUM_HOME, which may change while the
 * server runs. The real environment wins. Keys are never logged.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { messageOf } from '../core/errors.ts'
import type { Logger } from '../platform/logger.ts'
import type { Config } from './config.ts'

export interface ApiKeys {
  /** The key in the variable `name`, or null when neither the environment nor `.env` has it. */
  apiKey(name: string): string | null
}

export interface LoadKeysOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logger: Logger
}

/** Reads `<home>/.env` now, and again at a lookup when it has changed. A file that cannot be read is logged, not thrown. */
export function loadKeys(options: LoadKeysOptions): ApiKeys {
  const path = join(options.home, '.env')
  let known = readKeys(path, options.logger)
  return {
    apiKey(name) {
      const fromEnvironment = Object.hasOwn(options.env, name) ? options.env[name] : undefined
      if (fromEnvironment !== undefined && fromEnvironment !== '') return fromEnvironment
      if (stampOf(path) !== known.stamp) known = readKeys(path, options.logger)
      return known.keys.get(name) ?? null
    },
  }
}

/** The variables that providers name and nobody set, for a warning at start: `openrouter: OPENROUTER_API_KEY`. */
export function findMissingKeys(config: Config, keys: ApiKeys): readonly string[] {
  return [...config.providers.values()].flatMap(({ name, apiKeyEnv }) =>
    apiKeyEnv === null || keys.apiKey(apiKeyEnv) !== null ? [] : [`${name}: ${apiKeyEnv}`],
  )
}

interface KnownKeys {
  /** Changes when the file does; null while there is none. */
  readonly stamp: string | null
  readonly keys: ReadonlyMap<string, string>
}

function readKeys(path: string, logger: Logger): KnownKeys {
  const stamp = stampOf(path)
  if (stamp === null) return { stamp, keys: new Map() }
  try {
    const entries = Object.entries(parseEnv(readFileSync(path, 'utf8')))
    warnIfOpen(path, logger)
    return { stamp, keys: new Map(entries.filter((entry): entry is [string, string] => (entry[1] ?? '') !== '')) }
  } catch (error) {
    logger.error({ path }, `the file with the API keys cannot be read: ${messageOf(error)}`)
    return { stamp, keys: new Map() }
  }
}

function stampOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? null : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  } catch (error) {
    return messageOf(error) // a stamp like any other: reading the file then fails with the same reason, and logs it
  }
}

function warnIfOpen(path: string, logger: Logger): void {
  const othersMayRead = (statSync(path).mode & 0o004) !== 0
  if (othersMayRead)
    logger.warn({ path }, `every user of this machine can read the API keys in it; run: chmod 600 ${path}`)
}
