/**
 * The running configuration, kept equal to config.toml. The file is read four times a second and taken over when two
 * readings agree, so within a second of the last change. Why not fs.watch: it reports nothing on network and container
 * mounts, loses the file when an editor replaces it, and reports files that are half written. Comparing the content has
 * none of these gaps and costs 0.06 % of one core (measured: 0.15 ms a reading).
 *
 * What must hold: the configuration is replaced whole or not at all; a file that is missing or breaks a rule changes
 * nothing but the log.
 */
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import type { Timing } from './timing.ts'
import { isOutage, messageOf } from '../core/errors.ts'
import type { Config, LiveConfig } from './config.ts'
import { interpretConfig, readConfigText, type LoadedConfig } from './load-config.ts'
import type { ConfigContext } from './parse-config.ts'

export interface LiveConfigOptions extends ConfigContext {
  /** Where config.toml is. */
  readonly path: string
  readonly logger: Logger
  readonly timing: Pick<Timing, 'configPollMs'>
  readonly clock: Clock
}

/** Loads the file and follows its changes until `stop()`. Rejects with CONFIG_INVALID when it is not valid now. */
export async function openLiveConfig(options: LiveConfigOptions): Promise<LiveConfigFile> {
  const toml = await readConfigText(options.path)
  return new LiveConfigFile(options, toml)
}

/** What became of the last readings of the file; its path is in none of the texts. */
export interface ConfigReadings {
  /** When the running configuration was taken over, by the clock of this machine. */
  readonly loadedAt: Date
  /** What it does that should be changed. */
  readonly warnings: readonly string[]
  /** Why the file as it is now is not the running configuration; null: it is. */
  readonly refused: { readonly at: Date; readonly problems: readonly string[] } | null
}

/** What one read of the file gave: its text, or why there is none. */
interface FileRead {
  readonly toml: string | null
  readonly error: string
}

export class LiveConfigFile implements LiveConfig {
  readonly #options: LiveConfigOptions
  readonly #listeners = new Set<(config: Config) => void>()
  readonly #refusalListeners = new Set<(reason: string) => void>()
  readonly #poll: Periodic
  #config: Config
  #readings: ConfigReadings
  /** The content of the file that was last dealt with: taken over or refused. */
  #handled: FileRead
  /** Another content, read once so far: it is taken over when the next poll reads the same. */
  #candidate: FileRead | null = null
  /** Reads of the file are serialised, so that an older content never replaces a newer one. */
  #lastRead: Promise<void> = Promise.resolve()

  constructor(options: LiveConfigOptions, toml: string) {
    this.#options = options
    this.#handled = { toml, error: '' }
    const loaded = interpretConfig(options.path, toml, options)
    this.#config = loaded.config
    this.#readings = this.#taken(loaded)
    this.#logWarnings(loaded)
    const { timing, clock, logger } = options
    const tick = (): Promise<void> => this.#read((file) => this.#handleIfSettled(file))
    this.#poll = new Periodic({ name: 'config.toml poll', everyMs: timing.configPollMs, tick, isOutage, clock, logger })
    this.#poll.start()
  }

  current(): Config {
    return this.#config
  }

  /** Of the running configuration, and of the file if it is another one. */
  readings(): ConfigReadings {
    return this.#readings
  }

  /** Calls `listener` after each replacement; the returned function stops that. */
  onChange(listener: (config: Config) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `listener` with the reason after each refusal; the returned function stops that. */
  onRefused(listener: (reason: string) => void): () => void {
    this.#refusalListeners.add(listener)
    return () => this.#refusalListeners.delete(listener)
  }

  /** Reads the file at once (SIGHUP). Resolves when it is taken over, or refused and logged; never rejects. */
  reload(): Promise<void> {
    return this.#read((file) => {
      this.#candidate = null
      this.#handle(file)
    })
  }

  /** Stops following the file. Repeatable; never rejects. */
  async stop(): Promise<void> {
    await this.#poll.stop()
    await this.#lastRead
  }

  #read(then: (file: FileRead) => void): Promise<void> {
    this.#lastRead = this.#lastRead.then(async () => then(await readFile(this.#options.path)))
    return this.#lastRead
  }

  #handleIfSettled(file: FileRead): void {
    const unchanged = isSame(file, this.#handled)
    const settled = this.#candidate !== null && isSame(file, this.#candidate)
    this.#candidate = unchanged || settled ? null : file
    if (!unchanged && settled) this.#handle(file)
  }

  #handle(file: FileRead): void {
    this.#handled = file
    if (file.toml === null) return this.#refuse(file.error)
    try {
      this.#take(interpretConfig(this.#options.path, file.toml, this.#options))
    } catch (error) {
      this.#refuse(messageOf(error))
    }
  }

  #take(loaded: LoadedConfig): void {
    this.#config = loaded.config
    this.#readings = this.#taken(loaded)
    this.#options.logger.info({ path: this.#options.path }, 'configuration reloaded')
    this.#logWarnings(loaded)
    this.#notify(this.#listeners, this.#config)
  }

  #taken({ warnings }: LoadedConfig): ConfigReadings {
    return { loadedAt: this.#options.clock.now(), warnings, refused: null }
  }

  #refuse(reason: string): void {
    const { logger, path, clock } = this.#options
    this.#readings = { ...this.#readings, refused: { at: clock.now(), problems: problemsIn(reason, path) } }
    logger.error({ path }, `configuration not reloaded, the running one stays: ${reason}`)
    this.#notify(this.#refusalListeners, reason)
  }

  #notify<Change>(listeners: ReadonlySet<(change: Change) => void>, change: Change): void {
    for (const listener of listeners) {
      try {
        listener(change)
      } catch (error) {
        this.#options.logger.error({ err: error }, 'configuration listener failed; the other listeners still run')
      }
    }
  }

  #logWarnings({ warnings }: LoadedConfig): void {
    for (const warning of warnings) this.#options.logger.warn({ path: this.#options.path }, warning)
  }
}

async function readFile(path: string): Promise<FileRead> {
  try {
    return { toml: await readConfigText(path), error: '' }
  } catch (error) {
    return { toml: null, error: messageOf(error) }
  }
}

/** The lines of a reason (config-problem.ts), without the one that names the file and counts them. */
function problemsIn(reason: string, path: string): string[] {
  const [head = '', ...lines] = reason.replaceAll(path, 'config.toml').split('\n')
  return lines.length === 0 ? [head] : lines.map((line) => line.trim())
}

function isSame(a: FileRead, b: FileRead): boolean {
  return a.toml === b.toml && a.error === b.error
}
