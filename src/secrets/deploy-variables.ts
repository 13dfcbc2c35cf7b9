/**
 * The variables of the process's environment, and behind them the lines of `.env` in FACTOTUM_HOME, of which this is
 * the one reader. The file is read when this is made and again when it has changed since. A file that cannot be read is
 * logged and tried again with each `refresh`, and what was known before stays. Values are never logged.
 */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { messageOf } from '../core/errors.ts'
import type { Logger } from '../platform/logger.ts'

export interface DeployVariablesOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logger: Logger
  /** Default: from the disk. */
  readonly readText?: (path: string) => string
}

/** The stamp of no file. */
const UNREAD = ''

export class DeployVariables {
  /** Of `.env`. */
  readonly path: string
  readonly #env: DeployVariablesOptions['env']
  readonly #logger: Logger
  readonly #readText: (path: string) => string
  /** Of the file as it was read; null: there was none. */
  #stamp: string | null = null
  #lines: ReadonlyMap<string, string> = new Map()
  #problem: string | null = null

  constructor({ home, env, logger, readText = (path) => readFileSync(path, 'utf8') }: DeployVariablesOptions) {
    this.path = join(home, '.env')
    this.#env = env
    this.#logger = logger
    this.#readText = readText
    this.refresh()
  }

  /** The value of a variable, or null. An empty one counts as not set. */
  get(name: string): string | null {
    const fromEnvironment = Object.hasOwn(this.#env, name) ? this.#env[name] : undefined
    if (fromEnvironment !== undefined && fromEnvironment !== '') return fromEnvironment
    return this.#lines.get(name) ?? null
  }

  /** The lines of `.env`, name → value. */
  get lines(): ReadonlyMap<string, string> {
    return this.#lines
  }

  /** Why the file cannot be read, if so. */
  get problem(): string | null {
    return this.#problem
  }

  /** Takes over what has changed, if anything has; returns whether. Costs microseconds otherwise. */
  refresh(): boolean {
    const stamp = stampOf(this.path)
    if (stamp === this.#stamp) return false
    const lines = stamp === null ? new Map<string, string>() : this.#read()
    this.#stamp = lines === null ? UNREAD : stamp
    if (lines === null) return false
    this.#problem = null
    this.#lines = lines
    return true
  }

  /** Null: it cannot be read. */
  #read(): ReadonlyMap<string, string> | null {
    try {
      const text = this.#readText(this.path)
      const entries = Object.entries(parseEnv(text))
      this.#warnIfOpen()
      this.#warnOfStray(text)
      return new Map(entries.filter((entry): entry is [string, string] => (entry[1] ?? '') !== ''))
    } catch (error) {
      const problem = messageOf(error)
      if (problem !== this.#problem)
        this.#logger.error({ path: this.path }, `the file with the secrets cannot be read: ${problem}`)
      this.#problem = problem
      return null
    }
  }

  #warnIfOpen(): void {
    const { path } = this
    const othersMayRead = (statSync(path).mode & 0o004) !== 0
    if (othersMayRead)
      this.#logger.warn({ path }, `every user of this machine can read the secrets in it; run: chmod 600 ${path}`)
  }

  /** By its number: what stands there may be a value. */
  #warnOfStray(text: string): void {
    const { path } = this
    const stray = strayLines(text)
    if (stray.length > 0)
      this.#logger.warn({ path, lines: stray }, 'these lines are no NAME=value and no # comment: they are ignored')
  }
}

/** The numbers of lines that hold something, but no variable. Within quotes a line may be anything. */
function strayLines(text: string): readonly number[] {
  const outside = text.replaceAll(/=[ \t]*(["'`])[^]*?\1/g, (value) => `=${value.replaceAll(/[^\n]/g, '')}`)
  return outside.split('\n').flatMap((line, index) => (/^\s*(#|$)|=/.test(line) ? [] : [index + 1]))
}

function stampOf(path: string): string | null {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? null : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  } catch (error) {
    return messageOf(error) // not that of what was read: reading the file then fails with the same reason, and logs it
  }
}
