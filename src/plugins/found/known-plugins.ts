/**
 * What the plugins that were found say of themselves, and their rows. Each is loaded for that, beside everything else:
 * one that takes seconds to fail holds up no other, and nothing that an admin changes. Until it has said it again, one
 * is as it was when any process last loaded it.
 */
import { messageOf } from '../../core/errors.ts'
import type { Doorbell } from '../../events/doorbell.ts'
import { reasonOf } from '../../platform/error-code.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PluginManifest } from '../../plugin-api/manifest.ts'
import { appendAudit } from '../../store/audit-entries.ts'
import type { Database } from '../../store/database.ts'
import {
  declarePluginRow,
  readCalledPlugins,
  type CalledPlugin,
  type FoundPlugin,
} from '../../store/plugins/plugin-rows.ts'
import { PluginError, type PluginInstance } from '../plugin-instance.ts'
import { whyMisnamed, whyTaken } from './find-plugins.ts'
import { LateLoads } from './late-loads.ts'
import { PluginFinder, type Found, type PluginFinderOptions } from './plugin-finder.ts'

/** A plugin that was loaded, or could not be. */
export interface Loaded {
  readonly found: Found
  /** Null: it cannot be used, and `problem` says why. */
  readonly manifest: PluginManifest | null
  readonly problem: string | null
}

/** Where they are found, recorded and loaded. */
export interface KnownPluginsOptions extends PluginFinderOptions {
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'ring'>
  readonly clock: Clock
  /** Rejects with why it cannot be loaded. */
  readonly load: (found: Found) => Promise<PluginInstance>
  /** One has been loaded, or could not be, and is recorded. */
  readonly onChange: () => void
}

/** Of one process. */
export class KnownPlugins {
  readonly #options: KnownPluginsOptions
  readonly #finder: PluginFinder
  readonly #loaded = new Map<string, Loaded>()
  readonly #loading = new Map<string, Promise<void>>()
  readonly #late: LateLoads
  /** Of those that are not loaded yet and that turns call. */
  readonly #recalled = new Map<string, CalledPlugin>()

  constructor(options: KnownPluginsOptions) {
    this.#options = options
    this.#finder = new PluginFinder(options)
    this.#late = new LateLoads(options.clock)
  }

  /** Those that turns call, in their order, as they were when they were last loaded; `own`: it comes with Factotum. */
  async recall(): Promise<readonly { readonly name: string; readonly own: boolean }[]> {
    const found = this.#finder.find()
    const called = (await readCalledPlugins(this.#options.database)).filter(({ name }) => found.has(name))
    const wanted = called.filter(isCalled)
    for (const one of wanted) this.#recalled.set(one.name, one)
    return wanted.map(({ name }) => ({ name, own: found.get(name)?.origin === 'BUILT_IN' }))
  }

  /** Undefined: it is not there, or not loaded yet. */
  get(name: string): Loaded | undefined {
    return this.#loaded.get(name)
  }

  /** What it says of itself, or said when it was last loaded by any process. */
  saidOf(name: string): CalledPlugin | null {
    return this.#loaded.get(name)?.manifest ?? this.#recalled.get(name) ?? null
  }

  /** It is being loaded for the first time here: nothing is known of it yet. */
  isComing(name: string): boolean {
    return this.#loading.has(name) && !this.#loaded.has(name)
  }

  /** Some are. */
  get areComing(): boolean {
    return this.#loading.keys().some((name) => this.isComing(name))
  }

  /** How one that is wanted does, when it was not loaded in time; null: it was not late. */
  lateStatusOf(name: string): ReturnType<LateLoads['statusOf']> {
    return this.#late.statusOf(name)
  }

  /** Resolves when these, or all, are loaded or could not be; never rejects. */
  async settled(names: readonly string[] = [...this.#loading.keys()]): Promise<void> {
    for (const name of names) await this.#loading.get(name)
  }

  /** Begins to load what is new, or was late. */
  scan(): void {
    const found = this.#finder.find()
    for (const name of this.#loaded.keys()) if (!found.has(name)) this.#loaded.delete(name)
    let before: Promise<void> = Promise.resolve()
    for (const one of found.values()) {
      const { name, stamp } = one
      const isFresh = this.#loaded.get(name)?.found.stamp !== stamp || this.#late.isDue(name)
      if (!isFresh || this.#loading.has(name)) continue
      const loading = this.#take(one, before).then((isRecorded) => {
        this.#loading.delete(name)
        // Else it is loaded again by the next poll: at once, that could go on without end.
        if (isRecorded) this.#options.onChange()
      })
      this.#loading.set(name, loading)
      before = loading
    }
  }

  /**
   * Those that are found together are declared in their order, which is that of their hooks. False: it could not be
   * recorded, so it is as it was before. Never rejects.
   */
  async #take(found: Found, earlier: Promise<void>): Promise<boolean> {
    const { name } = found
    const one = await this.#inspect(found)
    await earlier
    const before = this.#loaded.get(name)
    this.#loaded.set(name, one)
    const { logger } = this.#options
    const { problem } = one
    if (problem !== null) logger.warn({ plugin: name, error: problem }, 'a plugin cannot be loaded; it is left out')
    try {
      await this.#declare(one)
      this.#recalled.delete(name)
      return true
    } catch (error) {
      if (before === undefined) this.#loaded.delete(name)
      else this.#loaded.set(name, before)
      logger.warn({ plugin: name, error: reasonOf(error) }, 'a plugin is not recorded; retrying')
      return false
    }
  }

  async #inspect(found: Found): Promise<Loaded> {
    const taken = found.origin === 'BUILT_IN' ? null : whyTaken(found.name)
    if (taken !== null) return { found, manifest: null, problem: taken }
    try {
      const instance = await this.#options.load(found)
      const { manifest } = instance
      await instance.stop()
      this.#late.took(found.name, { isLate: false })
      const problem = whyMisnamed(manifest.name, found.name)
      return { found, manifest: problem === null ? manifest : null, problem }
    } catch (error) {
      this.#late.took(found.name, { isLate: error instanceof PluginError && error.kind === 'LATE' })
      return { found, manifest: null, problem: messageOf(error) }
    }
  }

  async #declare({ found: { name, origin, ...rest }, manifest }: Loaded): Promise<void> {
    const { database, doorbell, clock } = this.#options
    const { version = '?', title = name, description = '' } = manifest ?? {}
    const enabled = 'enabledAtFirst' in rest && rest.enabledAtFirst
    const found: FoundPlugin = { name, version, title, description, origin, enabled, manifest }
    const at = clock.now()
    const result = await database.transaction(async (transaction) => {
      const outcome = await declarePluginRow(transaction, found, at)
      if (outcome.change === 'NEW' && origin !== 'BUILT_IN') {
        const body = { kind: 'CONFIG', change: 'PLUGIN_FOUND', detail: `${name} ${version}` } as const
        const entry = { at, sessionId: null, turnId: null, actor: 'server', tokenName: null, body }
        await appendAudit(transaction, [entry])
      }
      return outcome
    })
    if (result.change !== 'SAME') doorbell.ring({ kind: 'row', id: result.id })
  }
}

/** In turns: where no plugin is, a turn makes nothing ready for any. */
export function isCalled(said: CalledPlugin | null): boolean {
  return said !== null && (said.hooks.length > 0 || said.commands.length > 0)
}
