/** Reads config.toml once. Everything that can be wrong with it is one AppError CONFIG_INVALID that lists all of it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, messageOf } from '../core/errors.ts'
import type { Config } from './config.ts'
import { configError, describeProblem } from './config-problem.ts'
import { parseConfig, type ConfigContext } from './parse-config.ts'

export interface LoadedConfig {
  readonly config: Config
  /** What is accepted but should be changed; one line each, without secrets. */
  readonly warnings: readonly string[]
}

export function configPath(home: string): string {
  return join(home, 'config.toml')
}

/** Rejects with CONFIG_INVALID when the file is missing, unreadable or breaks a rule. */
export async function loadConfig(path: string, context: ConfigContext): Promise<LoadedConfig> {
  return interpretConfig(path, await readConfigText(path), context)
}

/** Rejects with CONFIG_INVALID when the file cannot be read or is not UTF-8. */
export async function readConfigText(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    throw new AppError('CONFIG_INVALID', `${path} ${whyUnread(error)}`, { cause: error })
  }
}

function whyUnread(error: unknown): string {
  if (error instanceof TypeError) return 'cannot be read: it is not UTF-8 text'
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  if (!isMissing) return `cannot be read: ${messageOf(error)}`
  return 'does not exist. A server that starts without one writes it; FACTOTUM_HOME or --home names another home.'
}

/** Throws CONFIG_INVALID when the text breaks a rule. `path` is only named in the error. */
export function interpretConfig(path: string, toml: string, context: ConfigContext): LoadedConfig {
  const parsed = parseConfig(toml, context)
  if (parsed.kind === 'invalid') throw configError(path, parsed.problems.map(describeProblem))
  return { config: parsed.config, warnings: parsed.warnings.map(describeProblem) }
}
