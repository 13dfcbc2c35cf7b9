/** The plugins as they lie in the home now, for a process that polls. */
import type { LiveConfig } from '../../config/config.ts'
import { messageOf } from '../../core/errors.ts'
import type { Logger } from '../../platform/logger.ts'
import type { BuiltIn, BuiltIns } from '../built-in/built-ins.ts'
import { findPackages, findPlugins, type PluginFolder } from './find-plugins.ts'

/** What can be loaded: the module of a folder, or what comes with Factotum. */
export type Found = PluginFolder | BuiltIn

/** Whose folders are read, and where a failure to read them is logged. */
export interface PluginFinderOptions {
  readonly home: string
  readonly builtIns: BuiltIns
  readonly config: LiveConfig
  readonly logger: Logger
}

/** A plugin is gone only when its folder is: while that cannot be read, the plugin is as it was. */
export class PluginFinder {
  readonly #options: PluginFinderOptions
  #packages: ReadonlyMap<string, PluginFolder> = new Map()
  #folders: ReadonlyMap<string, PluginFolder> = new Map()
  /** Why something could not be read by the last scan: it is logged when it begins, and when it is over. */
  #problem: string | null = null
  readonly #leftOut = new Set<string>()
  /** What was no plugin at the last scan, and why: each is logged when it begins. */
  #none: ReadonlyMap<string, string> = new Map()

  constructor(options: PluginFinderOptions) {
    this.#options = options
  }

  /** By name. Of a package and a folder with one name the folder counts. Never throws. */
  find(): ReadonlyMap<string, Found> {
    const { home, builtIns, config } = this.#options
    const problems: string[] = []
    const onUnreadable = (error: unknown): void => void problems.push(messageOf(error))
    const none = new Map<string, string>()
    const scan = { onUnreadable, onNone: (what: string, why: string): void => void none.set(what, why) }
    const { pluginPackages } = config.current()
    this.#packages = findPackages(home, pluginPackages, { known: this.#packages, ...scan })
    this.#folders = findPlugins(home, { known: this.#folders, ...scan })
    this.#logNone(none)
    this.#logProblem(problems[0] ?? null)
    for (const name of [...this.#packages.keys(), ...this.#folders.keys()]) if (builtIns.has(name)) this.#leaveOut(name)
    return new Map<string, Found>([...this.#packages, ...this.#folders, ...builtIns])
  }

  #logNone(none: ReadonlyMap<string, string>): void {
    for (const [what, why] of none)
      if (this.#none.get(what) !== why)
        this.#options.logger.warn({ what, why }, 'no plugin is found where one may be meant')
    this.#none = none
  }

  #logProblem(problem: string | null): void {
    const { logger } = this.#options
    const was = this.#problem
    this.#problem = problem
    if (problem !== null && was === null)
      logger.error({ error: problem }, 'scan for plugins failed; those that were found stay as they are')
    if (problem === null && was !== null) logger.info('scan for plugins works again')
  }

  #leaveOut(name: string): void {
    if (this.#leftOut.has(name)) return
    this.#leftOut.add(name)
    this.#options.logger.warn({ plugin: name }, 'a plugin has the name of a built-in one; it is left out')
  }
}
