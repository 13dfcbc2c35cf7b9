/**
 * The plugins of this process: they follow the rows and the folders, whichever process changes them. A doorbell tells
 * of changes, and a poll each second finds what was missed.
 *
 * What must hold: a plugin runs at most once in a process; one whose settings, files or secrets have changed is stopped
 * and started anew as a whole; no turn waits for any of it, but the first ones of a process, for a few seconds. Where
 * processes have different homes, a row's status is that of the process whose plugin changed last.
 */
import type { LiveConfig } from '../config/config.ts'
import { missingRuntimes, type MissingRuntime } from '../config/models/missing-runtimes.ts'
import { isOutage, messageOf } from '../core/errors.ts'
import type { PluginStatus } from '../core/status.ts'
import type { Doorbell } from '../events/doorbell.ts'
import type { PluginManifest } from '../plugin-api/manifest.ts'
import type { Json } from '../plugin-api/hook-inputs.ts'
import type { Clock } from '../platform/clock.ts'
import type { Timing } from '../config/timing.ts'
import { idKind } from '../platform/id.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import { appendAudit } from '../store/audit-entries.ts'
import type { Database } from '../store/database.ts'
import {
  countPlugin,
  declarePluginRow,
  readCalledPlugins,
  readPlugins,
  reportPlugin,
  type CalledPlugin,
  type FoundPlugin,
  type PluginRow,
} from '../store/plugins/plugin-rows.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import type { BuiltIns } from './built-in/built-ins.ts'
import { whyTaken } from './found/find-plugins.ts'
import { LateLoads } from './found/late-loads.ts'
import { PluginFinder, type Found } from './found/plugin-finder.ts'
import { InProcessPlugin } from './in-process-plugin.ts'
import { PluginError, type PluginInstance } from './plugin-instance.ts'
import { PluginKeeper, type KeeperOptions, type PluginCounts } from './plugin-keeper.ts'
import { portOf, type PluginServices } from './plugin-services.ts'
import { PluginTools } from './plugin-tools.ts'
import type { PluginRuntimes } from './runtimes/plugin-runtimes.ts'
import { THREAD_LIMITS } from './thread/thread-limits.ts'
import { ThreadPlugin } from './thread/thread-plugin.ts'
import { Broadcast } from './broadcast.ts'
import type { LiveHooks } from './hooks/live-hooks.ts'
import type { EnabledPlugin } from './hooks/hook-target.ts'
import { hooksOf } from './hooks/turn-hooks.ts'
import { announceSettings } from './announce-settings.ts'
import { unknownSettings } from './unknown-settings.ts'

/** What the plugins of a process are made of. */
export interface LivePluginsOptions {
  readonly home: string
  /** Those that come with Factotum, by name. */
  readonly builtIns: BuiltIns
  readonly database: Database
  readonly doorbell: Pick<Doorbell, 'on' | 'ring'>
  readonly config: LiveConfig
  readonly catalog: Pick<ToolCatalog, 'add' | 'remove'>
  readonly services: PluginServices
  /** The value of a deploy secret, or null. */
  readonly secretOf: (name: string) => string | null
  /** Given the hooks whenever plugins have changed. */
  readonly hooks: LiveHooks
  /** Given the plugins that have some. */
  readonly runtimes: PluginRuntimes
  readonly metrics: KeeperOptions['metrics']
  readonly timing: Pick<Timing, 'pluginPollMs' | 'pluginCountsMs'>
  readonly clock: Clock
  readonly logger: Logger
}

interface Loaded {
  readonly found: Found
  /** Null: it cannot be used, and `problem` says why. */
  readonly manifest: PluginManifest | null
  readonly problem: string | null
}

interface Running {
  readonly keeper: PluginKeeper
  /** What kept it with other settings, files or secrets: it takes calls until its successor does. */
  readonly before: PluginKeeper | null
  /** All that it was started with. */
  readonly key: string
  /** As the catalogue has them; null: it has none, and another source may have its name. */
  readonly tools: PluginTools | null
  counted: PluginCounts
}

interface Beginning extends Pick<Running, 'key' | 'before'> {
  readonly loaded: Loaded
}

const NOTHING: PluginCounts = { calls: 0, failures: 0, crashes: 0, eventsLeftOut: 0 }

/** One for each process, made by app.ts. */
export class LivePlugins {
  readonly #options: LivePluginsOptions
  readonly #finder: PluginFinder
  readonly #loaded = new Map<string, Loaded>()
  readonly #running = new Map<string, Running>()
  /** Plugins that are being stopped: another one of the name waits for them. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #ticks = new Coalesced(() => this.#tick())
  readonly #poll: Periodic
  readonly #cleanups: (() => void)[] = []
  readonly #broadcast: Broadcast
  #rows: readonly PluginRow[] = []
  readonly #late: LateLoads
  /** Of those that are not loaded yet, by name. */
  #recalled: ReadonlyMap<string, CalledPlugin> = new Map()
  /** Of those, the ones that do not come with Factotum. */
  #awaited: readonly string[] = []
  /** Models whose runtime was missing at the last check: each is said once. */
  #missing: ReadonlySet<string> = new Set()
  #countDueMs = 0
  #isStarted = false

  constructor(options: LivePluginsOptions) {
    this.#options = options
    this.#finder = new PluginFinder(options)
    const { timing, clock, logger } = options
    this.#broadcast = new Broadcast(clock)
    this.#late = new LateLoads(clock)
    const tick = (): Promise<void> => this.#ticks.run()
    this.#poll = new Periodic({ name: 'poll of plugins', everyMs: timing.pluginPollMs, tick, isOutage, clock, logger })
  }

  /** Resolves when turns know which plugins they have; these come as they start. Before it, none is even loaded. */
  async start(): Promise<void> {
    this.#isStarted = true
    await this.#recall()
    const wake = (): void => this.#poll.wake()
    const { doorbell } = this.#options
    const heard = (id: string): void => (idKind(id) === 'plugin' ? wake() : undefined)
    this.#cleanups.push(
      doorbell.on('row', (row) => heard(row.kind === 'row' ? row.id : '')),
      doorbell.on('resync', wake),
      this.#options.services.feed.onPublished((events) => this.#broadcast.give(events)),
    )
    this.#poll.start()
  }

  /** To load a module takes seconds: turns that begin before then have the plugins that were there the last time. */
  async #recall(): Promise<void> {
    const { database, logger } = this.#options
    try {
      const found = this.#finder.find()
      const called = (await readCalledPlugins(database)).filter((one) => found.has(one.name) && isCalled(one))
      this.#recalled = new Map(called.map((one) => [one.name, one]))
      this.#awaited = called.flatMap(({ name }) => (found.get(name)?.origin === 'BUILT_IN' ? [] : [name]))
      this.#callInTurns(called)
    } catch (error) {
      logger.warn({ error: messageOf(error) }, 'plugins could not be read yet; turns that begin now have none')
    }
  }

  /**
   * Resolves when each plugin of others that turns call takes calls or has failed, and after `ms` in any case: turns
   * that begin before do without those that are just starting. Never rejects.
   */
  async untilTried(ms: number, stopping: AbortSignal): Promise<void> {
    if (this.#awaited.length === 0) return
    const { clock, logger } = this.#options
    const areTried = new AbortController()
    const waited = clock.sleep(ms, AbortSignal.any([stopping, areTried.signal]))
    const trying = this.#allTried().finally(() => areTried.abort())
    // What fails here is read again by the poll, which says so.
    trying.catch(() => undefined)
    await waited
    if (areTried.signal.aborted || stopping.aborted) return
    const late = this.#awaited.filter((name) => this.#running.get(name)?.keeper.instance == null)
    logger.warn({ plugins: late, ms }, 'plugins are still starting; turns begin without them')
  }

  async #allTried(): Promise<void> {
    await this.#ticks.run()
    for (const name of this.#awaited) await this.#running.get(name)?.keeper.tried
  }

  /** Resolves when no plugin runs any more. Repeatable; never rejects. */
  async stop(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    await this.#poll.stop()
    await this.#ticks.settled()
    for (const name of this.#running.keys()) this.#end(name)
    await Promise.all(this.#ending.values())
  }

  /** After a commit that changed plugins: here it holds once this resolves, elsewhere soon. Never rejects. */
  async changed(id: string): Promise<void> {
    this.#options.doorbell.ring({ kind: 'row', id })
    if (!this.#isStarted) return
    await this.#ticks.run().catch((error: unknown) => {
      this.#options.logger.warn({ error: messageOf(error) }, 'a change of plugins could not be read; retrying')
    })
  }

  /** What is wrong with settings; null: nothing. Loads the plugin for that; the text says so when it is not there. */
  async checkSettings(name: string, settings: Json): Promise<string | null> {
    const loaded = this.#loaded.get(name)
    if (!this.#isStarted)
      return 'no plugin is loaded while the server is paused, so nothing can say whether they are right'
    if (loaded === undefined) return 'the plugin is not there, so nothing can say whether they are right'
    try {
      const instance = await this.#load(loaded.found)
      try {
        return unknownSettings(Object(settings) as object, instance.manifest) ?? (await instance.check(settings))
      } finally {
        await instance.stop()
      }
    } catch (error) {
      return `the plugin cannot be loaded: ${messageOf(error)}`
    }
  }

  /** Models of config.toml that are a runtime of a plugin which is not there, or not enabled, as of the last check. */
  missingRuntimes(): readonly MissingRuntime[] {
    const known = this.#rows.flatMap(({ name: plugin, enabled }) => {
      const loaded = this.#loaded.get(plugin)
      if (loaded === undefined) return []
      return [{ plugin, enabled, runtimes: loaded.manifest?.runtimes.map(({ name }) => name) ?? null }]
    })
    return missingRuntimes(this.#options.config.current(), known)
  }

  async #tick(): Promise<void> {
    const { database } = this.#options
    await this.#lookForPlugins()
    this.#rows = await readPlugins(database)
    for (const row of this.#rows) this.#follow(row)
    for (const name of this.#running.keys()) {
      if (!this.#rows.some((row) => row.name === name && row.enabled)) this.#end(name)
    }
    const keepers = this.#rows.flatMap(({ name }) => this.#running.get(name)?.keeper ?? [])
    this.#broadcast.become(keepers)
    const called = keepers.filter(({ name }) => isCalled(this.#loaded.get(name)?.manifest))
    this.#callInTurns(called)
    this.#options.runtimes.become(keepers)
    this.#warnOfRuntimes()
    await this.#report()
  }

  #warnOfRuntimes(): void {
    const missing = this.missingRuntimes()
    for (const { model, roles, says, fix } of missing)
      if (!this.#missing.has(model + says))
        this.#options.logger.warn({ model, roles }, `a model of config.toml cannot answer: ${says} ${fix}`)
    this.#missing = new Set(missing.map(({ model, says }) => model + says))
  }

  /** Loads what is new, or was late, to hear what it is; all at the same time, as one may take seconds to fail. */
  async #lookForPlugins(): Promise<void> {
    const found = this.#finder.find()
    for (const name of this.#loaded.keys()) if (!found.has(name)) this.#loaded.delete(name)
    const fresh = [...found.values()].filter(
      ({ name, stamp }) => this.#loaded.get(name)?.found.stamp !== stamp || this.#late.isDue(name),
    )
    const loaded = await Promise.all(fresh.map((one) => this.#inspect(one)))
    for (const one of loaded) {
      this.#loaded.set(one.found.name, one)
      if (one.problem !== null) this.#warnOfLoad(one.found.name, one.problem)
      await this.#declare(one)
    }
  }

  #warnOfLoad(plugin: string, problem: string): void {
    this.#options.logger.warn({ plugin, error: problem }, 'a plugin cannot be loaded; it is left out')
  }

  async #inspect(found: Found): Promise<Loaded> {
    const taken = found.origin === 'BUILT_IN' ? null : whyTaken(found.name)
    if (taken !== null) return { found, manifest: null, problem: taken }
    try {
      const instance = await this.#load(found)
      const { manifest } = instance
      await instance.stop()
      this.#late.took(found.name, { isLate: false })
      if (manifest.name === found.name) return { found, manifest, problem: null }
      return { found, manifest: null, problem: `its name is "${manifest.name}", and that of its folder another` }
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

  #follow(row: PluginRow): void {
    const { name, enabled } = row
    const loaded = this.#loaded.get(name)
    const running = this.#running.get(name)
    if (!enabled || loaded?.manifest == null) return this.#end(name)
    const key = this.#keyOf(row, loaded)
    if (running?.key === key) return
    if (running !== undefined) this.#end(name, row.settings as Json)
    this.#begin(row, { loaded, key, before: running?.keeper ?? null })
  }

  /** By turns that begin from now on. */
  #callInTurns(called: readonly { readonly name: string }[]): void {
    const { hooks, clock } = this.#options
    const plugins = called.map(({ name }) => this.#enabled(name))
    hooks.become(hooksOf(plugins, clock))
  }

  /** Turns that began before hold it, too. */
  #enabled(name: string): EnabledPlugin {
    const hooks = (): readonly string[] => (this.#loaded.get(name)?.manifest ?? this.#recalled.get(name))?.hooks ?? []
    const now = (): PluginKeeper | null => {
      const { keeper = null, before = null } = this.#running.get(name) ?? {}
      return keeper !== null && keeper.instance === null && before?.instance != null ? before : keeper
    }
    return {
      name,
      get hooks() {
        return hooks()
      },
      get keeper() {
        return now()
      },
    }
  }

  #keyOf({ settings, restarts }: PluginRow, { found, manifest }: Loaded): string {
    const secrets = this.#secretsOf(manifest, settings)
    return JSON.stringify([found.stamp, settings, restarts, secrets])
  }

  #secretsOf(manifest: PluginManifest | null, settings: unknown): Record<string, string | null> {
    // A setting that is left out has its default here, too.
    const named = { ...defaultsOf(manifest), ...(Object(settings) as Record<string, unknown>) }
    const pairs = (manifest?.secretSettings ?? []).map((setting): [string, string | null] => {
      const variable = named[setting]
      return [setting, typeof variable === 'string' ? this.#options.secretOf(variable) : null]
    })
    return Object.fromEntries(pairs)
  }

  #begin({ name, settings }: PluginRow, { loaded, key, before }: Beginning): void {
    const { metrics, clock, logger, catalog } = this.#options
    const keeper = new PluginKeeper({
      name,
      load: async () => {
        await this.#ending.get(name)
        return this.#load(loaded.found)
      },
      start: () => ({ settings: settings as Json, secrets: this.#secretsOf(loaded.manifest, settings) }),
      metrics,
      clock,
      logger,
      onChange: () => this.#poll.wake(),
    })
    const tools = (loaded.manifest?.tools.length ?? 0) > 0 ? new PluginTools(this.#enabled(name), clock) : null
    if (tools !== null) catalog.add(tools)
    this.#running.set(name, { keeper, before, key, tools, counted: NOTHING })
    keeper.start()
  }

  /** `settings`: those that it is to be started with anew; `onSettingsChange` gets them. */
  #end(name: string, settings?: Json): void {
    const running = this.#running.get(name)
    if (running === undefined) return
    this.#running.delete(name)
    if (running.tools !== null) this.#options.catalog.remove(running.tools)
    const { clock } = this.#options
    const announced = settings === undefined ? Promise.resolve() : announceSettings(running.keeper, settings, clock)
    const stopped = announced.then(() => running.keeper.stop()).then(() => this.#countLast(running))
    const ended = Promise.all([this.#ending.get(name), stopped]).then(() => {
      if (this.#ending.get(name) === ended) this.#ending.delete(name)
    })
    this.#ending.set(name, ended)
  }

  async #load(found: Found): Promise<PluginInstance> {
    const { services, clock } = this.#options
    const port = portOf(found.name, services)
    if (found.origin === 'BUILT_IN') return new InProcessPlugin(found.definition, port)
    return ThreadPlugin.load({ entry: found.entry, port, limits: THREAD_LIMITS, clock })
  }

  async #report(): Promise<void> {
    const { database, doorbell, timing, clock } = this.#options
    const nowMs = clock.monotonicMs()
    const isCounting = nowMs >= this.#countDueMs
    if (isCounting) this.#countDueMs = nowMs + timing.pluginCountsMs
    for (const row of this.#rows) {
      const running = this.#running.get(row.name)
      if (running !== undefined && isCounting) await this.#count(running)
      const { status, lastError } = this.#stateOf(row)
      if (status === row.status && lastError === row.lastError) continue
      const isNew = await reportPlugin(database, { name: row.name, status, lastError, at: clock.now() })
      if (isNew) doorbell.ring({ kind: 'row', id: row.id })
    }
  }

  async #count(running: Running): Promise<void> {
    const { counts: now, name } = running.keeper
    const { counted } = running
    if (now === counted || now.calls + now.crashes + now.eventsLeftOut === 0) return
    running.counted = now
    await countPlugin(this.#options.database, {
      name,
      calls: now.calls - counted.calls,
      failures: now.failures - counted.failures,
      crashes: now.crashes - counted.crashes,
      eventsLeftOut: now.eventsLeftOut - counted.eventsLeftOut,
    })
  }

  /** Should this fail, some calls are not counted. */
  async #countLast(running: Running): Promise<void> {
    await this.#count(running).catch((error: unknown) => {
      const line = { plugin: running.keeper.name, error: messageOf(error) }
      this.#options.logger.warn(line, 'calls of a plugin could not be counted; its counts stay too low')
    })
  }

  #stateOf({ name, enabled, lastError }: PluginRow): {
    readonly status: PluginStatus
    readonly lastError: string | null
  } {
    const loaded = this.#loaded.get(name)
    if (loaded === undefined) return { status: 'MISSING', lastError }
    if (loaded.manifest === null) {
      const late = this.#late.statusOf(name)
      const status = late === null ? 'FAILED' : enabled ? late : 'DISABLED'
      return { status, lastError: this.#redacted(loaded.problem) }
    }
    const keeper = this.#running.get(name)?.keeper
    if (!enabled || keeper === undefined) return { status: 'DISABLED', lastError: null }
    return { status: keeper.status, lastError: this.#redacted(keeper.lastError) }
  }

  #redacted(text: string | null): string | null {
    return text === null ? null : this.#options.services.redactor().redact(text).replaceAll('\0', ' ').toWellFormed()
  }
}

/** In turns: where no plugin is, a turn makes nothing ready for any. */
function isCalled(manifest: CalledPlugin | null | undefined): boolean {
  return manifest != null && (manifest.hooks.length > 0 || manifest.commands.length > 0)
}

function defaultsOf(manifest: PluginManifest | null): Readonly<Record<string, unknown>> {
  const properties = Object(manifest?.settingsSchema['properties']) as Record<string, { readonly default?: unknown }>
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, schema.default]))
}
