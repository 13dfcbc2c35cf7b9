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
import { reasonOf } from '../platform/error-code.ts'
import type { Clock } from '../platform/clock.ts'
import type { Timing } from '../config/timing.ts'
import { idKind } from '../platform/id.ts'
import { Coalesced } from '../platform/waiting/coalesced.ts'
import type { Logger } from '../platform/logger.ts'
import { Periodic } from '../platform/waiting/periodic.ts'
import type { Database } from '../store/database.ts'
import { countPlugin, readPlugins, reportPlugin, type PluginRow } from '../store/plugins/plugin-rows.ts'
import type { ToolCatalog } from '../tools/tool-catalog.ts'
import type { BuiltIns } from './built-in/built-ins.ts'
import { isCalled, KnownPlugins, type Loaded } from './found/known-plugins.ts'
import type { Found } from './found/plugin-finder.ts'
import { InProcessPlugin } from './in-process-plugin.ts'
import type { PluginInstance } from './plugin-instance.ts'
import { PluginSupervisor, type SupervisorOptions, type PluginCounts } from './plugin-supervisor.ts'
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
  readonly metrics: SupervisorOptions['metrics']
  readonly timing: Pick<Timing, 'pluginPollMs' | 'pluginCountsMs'>
  readonly clock: Clock
  readonly logger: Logger
}

interface Running {
  readonly supervisor: PluginSupervisor
  /** What kept it with other settings, files or secrets: it takes calls until its successor does. */
  readonly before: PluginSupervisor | null
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

/** One for each process, made by open-plugins.ts. */
export class LivePlugins {
  readonly #options: LivePluginsOptions
  readonly #known: KnownPlugins
  readonly #running = new Map<string, Running>()
  /** Plugins that are being stopped: another one of the name waits for them. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #ticks = new Coalesced(() => this.#tick())
  readonly #poll: Periodic
  readonly #cleanups: (() => void)[] = []
  readonly #broadcast: Broadcast
  #rows: readonly PluginRow[] = []
  /** Of those that are not loaded yet and that turns call, the ones that do not come with Factotum. */
  #awaited: readonly string[] = []
  /** Models whose runtime was missing at the last check: each is said once. */
  #missing: ReadonlySet<string> = new Set()
  #countDueMs = 0
  #isStarted = false

  constructor(options: LivePluginsOptions) {
    this.#options = options
    const { timing, clock, logger } = options
    const load = (found: Found): Promise<PluginInstance> => this.#load(found)
    this.#known = new KnownPlugins({ ...options, load, onChange: () => this.#poll.wake() })
    this.#broadcast = new Broadcast(clock)
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
    try {
      const called = await this.#known.recall()
      this.#awaited = called.flatMap(({ name, own }) => (own ? [] : [name]))
      this.#callInTurns(called)
    } catch (error) {
      this.#options.logger.warn(
        { error: reasonOf(error) },
        'plugins could not be read yet; turns that begin now have none',
      )
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
    const late = this.#awaited.filter((name) => this.#running.get(name)?.supervisor.instance == null)
    logger.warn({ plugins: late, ms }, 'plugins are still starting; turns begin without them')
  }

  async #allTried(): Promise<void> {
    await this.#ticks.run()
    await this.#known.settled(this.#awaited)
    await this.#ticks.run()
    for (const name of this.#awaited) await this.#running.get(name)?.supervisor.tried
  }

  /** Resolves when no plugin runs any more. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#isStarted = false
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    await this.#poll.stop()
    await this.#ticks.settled()
    await this.#known.settled()
    for (const name of this.#running.keys()) this.#end(name)
    await Promise.all(this.#ending.values())
  }

  /** After a commit that changed plugins: here it holds once this resolves, elsewhere soon. Never rejects. */
  async changed(id: string): Promise<void> {
    this.#options.doorbell.ring({ kind: 'row', id })
    if (!this.#isStarted) return
    await this.#ticks.run().catch((error: unknown) => {
      this.#options.logger.warn({ error: reasonOf(error) }, 'a change of plugins could not be read; retrying')
    })
  }

  /** What is wrong with settings; null: nothing. Loads the plugin for that; the text says so when it is not there. */
  async checkSettings(name: string, settings: Json): Promise<string | null> {
    const loaded = this.#known.get(name)
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
      const loaded = this.#known.get(plugin)
      if (loaded === undefined) return []
      return [{ plugin, enabled, runtimes: loaded.manifest?.runtimes.map(({ name }) => name) ?? null }]
    })
    return missingRuntimes(this.#options.config.current(), known)
  }

  /** The variables that settings of enabled plugins name for their secrets, set or not, as of the last check. */
  secretsNamed(): readonly { readonly plugin: string; readonly variable: string }[] {
    return this.#rows.flatMap(({ name: plugin, enabled, settings }) => {
      const named = enabled ? variablesOf(this.#known.get(plugin)?.manifest ?? null, settings) : []
      return named.flatMap(({ variable }) => (variable === null ? [] : [{ plugin, variable }]))
    })
  }

  async #tick(): Promise<void> {
    // What an admin still changes while the server stops would start plugins that nothing ends.
    if (!this.#isStarted) return
    const { database } = this.#options
    this.#rows = await readPlugins(database)
    this.#known.scan()
    for (const row of this.#rows) this.#follow(row)
    for (const name of this.#running.keys()) {
      if (!this.#rows.some((row) => row.name === name && row.enabled)) this.#end(name)
    }
    const supervisors = this.#rows.flatMap(({ name }) => this.#running.get(name)?.supervisor ?? [])
    this.#broadcast.become(supervisors)
    this.#callInTurns(this.#rows.filter(({ name, enabled }) => enabled && isCalled(this.#known.saidOf(name))))
    this.#options.runtimes.become(supervisors)
    this.#warnOfRuntimes()
    await this.#report()
  }

  #warnOfRuntimes(): void {
    if (this.#known.areComing) return
    const missing = this.missingRuntimes()
    for (const { model, roles, says, fix } of missing)
      if (!this.#missing.has(model + says))
        this.#options.logger.warn({ model, roles }, `a model of config.toml cannot answer: ${says} ${fix}`)
    this.#missing = new Set(missing.map(({ model, says }) => model + says))
  }

  #follow(row: PluginRow): void {
    const { name, enabled } = row
    const loaded = this.#known.get(name)
    const running = this.#running.get(name)
    if (!enabled || loaded?.manifest == null) return this.#end(name)
    const key = this.#keyOf(row, loaded)
    if (running?.key === key) return
    if (running !== undefined) this.#end(name, row.settings as Json)
    this.#begin(row, { loaded, key, before: running?.supervisor ?? null })
  }

  /** By turns that begin from now on. */
  #callInTurns(called: readonly { readonly name: string }[]): void {
    const { hooks, clock } = this.#options
    const plugins = called.map(({ name }) => this.#enabled(name))
    hooks.become(hooksOf(plugins, clock))
  }

  /** Turns that began before hold it, too. */
  #enabled(name: string): EnabledPlugin {
    const hooks = (): readonly string[] => this.#known.saidOf(name)?.hooks ?? []
    const now = (): PluginSupervisor | null => {
      const { supervisor = null, before = null } = this.#running.get(name) ?? {}
      return supervisor !== null && supervisor.instance === null && before?.instance != null ? before : supervisor
    }
    return {
      name,
      get hooks() {
        return hooks()
      },
      get supervisor() {
        return now()
      },
    }
  }

  #keyOf({ settings, restarts }: PluginRow, { found, manifest }: Loaded): string {
    const secrets = this.#secretsOf(manifest, settings)
    return JSON.stringify([found.stamp, settings, restarts, secrets])
  }

  #secretsOf(manifest: PluginManifest | null, settings: unknown): Record<string, string | null> {
    const pairs = variablesOf(manifest, settings).map(({ setting, variable }): [string, string | null] => [
      setting,
      variable === null ? null : this.#options.secretOf(variable),
    ])
    return Object.fromEntries(pairs)
  }

  #begin({ name, settings }: PluginRow, { loaded, key, before }: Beginning): void {
    const { metrics, clock, logger, catalog } = this.#options
    this.#warnOfSecrets(name, variablesOf(loaded.manifest, settings))
    const supervisor = new PluginSupervisor({
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
    const redact = (text: string): string => this.#redacted(text)
    const tools = (loaded.manifest?.tools.length ?? 0) > 0 ? new PluginTools(this.#enabled(name), clock, redact) : null
    if (tools !== null) catalog.add(tools)
    this.#running.set(name, { supervisor, before, key, tools, counted: NOTHING })
    supervisor.start()
  }

  #warnOfSecrets(plugin: string, named: ReturnType<typeof variablesOf>): void {
    const { logger, secretOf } = this.#options
    const secrets = named.flatMap(({ variable }) =>
      variable === null || secretOf(variable) !== null ? [] : [variable],
    )
    if (secrets.length === 0) return
    logger.warn({ plugin, secrets }, 'a plugin starts without secrets that its settings name; put them into .env')
  }

  /** `settings`: those that it is to be started with anew; `onSettingsChange` gets them. */
  #end(name: string, settings?: Json): void {
    const running = this.#running.get(name)
    if (running === undefined) return
    this.#running.delete(name)
    if (running.tools !== null) this.#options.catalog.remove(running.tools)
    const { clock } = this.#options
    const announced = settings === undefined ? Promise.resolve() : announceSettings(running.supervisor, settings, clock)
    const stopped = announced.then(() => running.supervisor.stop()).then(() => this.#countLast(running))
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
      if (this.#known.isComing(row.name)) continue
      const running = this.#running.get(row.name)
      if (running !== undefined && isCounting) await this.#count(running)
      const { status, lastError } = this.#stateOf(row)
      if (status === row.status && lastError === row.lastError) continue
      const isNew = await reportPlugin(database, { name: row.name, status, lastError, at: clock.now() })
      if (isNew) doorbell.ring({ kind: 'row', id: row.id })
    }
  }

  async #count(running: Running): Promise<void> {
    const { counts: now, name } = running.supervisor
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
      const line = { plugin: running.supervisor.name, error: reasonOf(error) }
      this.#options.logger.warn(line, 'calls of a plugin could not be counted; its counts stay too low')
    })
  }

  #stateOf({ name, enabled, lastError }: PluginRow): {
    readonly status: PluginStatus
    readonly lastError: string | null
  } {
    const loaded = this.#known.get(name)
    if (loaded === undefined) return { status: 'MISSING', lastError }
    if (loaded.manifest === null) {
      const late = this.#known.lateStatusOf(name)
      const status = late === null ? 'FAILED' : enabled ? late : 'DISABLED'
      return { status, lastError: loaded.problem === null ? null : this.#redacted(loaded.problem) }
    }
    const supervisor = this.#running.get(name)?.supervisor
    if (!enabled || supervisor === undefined) return { status: 'DISABLED', lastError: null }
    const { lastError: error } = supervisor
    return { status: supervisor.status, lastError: error === null ? null : this.#redacted(error) }
  }

  #redacted(text: string): string {
    return this.#options.services.redactor().redact(text).replaceAll('\0', ' ').toWellFormed()
  }
}

/** Which secret each setting that is made for one names; null: none. */
function variablesOf(
  manifest: PluginManifest | null,
  settings: unknown,
): readonly { readonly setting: string; readonly variable: string | null }[] {
  // A setting that is left out has its default here, too.
  const named = { ...defaultsOf(manifest), ...(Object(settings) as Record<string, unknown>) }
  return (manifest?.secretSettings ?? []).map((setting) => {
    const variable = named[setting]
    return { setting, variable: typeof variable === 'string' ? variable : null }
  })
}

function defaultsOf(manifest: PluginManifest | null): Readonly<Record<string, unknown>> {
  const properties = Object(manifest?.settingsSchema['properties']) as Record<string, { readonly default?: unknown }>
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, schema.default]))
}
