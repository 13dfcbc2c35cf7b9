/**
 * Keeps one plugin running in this process: loads it, starts it, and starts it again when it ended.
 *
 * STARTING: it is being loaded or started, or waits for its next start. READY: it takes calls. DEGRADED: five failures
 * within 15 minutes, of calls or of its thread; the fifth and each further one ends it, and it is started again after a
 * growing pause. One that is not loaded in time is a failure of that kind, too: the machine may have been busy. FAILED:
 * its module or its settings cannot be used; nothing is tried until `restart`. A plugin that is not there is left out,
 * and not waited for.
 */
import { backoffMs, type BackoffPolicy } from '../platform/waiting/backoff.ts'
import type { Clock } from '../platform/clock.ts'
import { randomFraction } from '../platform/random.ts'
import type { Logger } from '../platform/logger.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { PluginStart } from '../plugin-api/messages.ts'
import { PluginError, type PluginInstance } from './plugin-instance.ts'
import type { HookReport } from './runners.ts'

/** See above. */
export type SupervisorStatus = 'STARTING' | 'READY' | 'DEGRADED' | 'FAILED'

/** Outcomes of calls, as the metric has them; what was not called is no call. */
const COUNTED = ['ok', 'threw', 'wrong', 'late', 'lost', 'ended']

/** What became of the plugin's calls in this process, since the server started. */
export interface PluginCounts {
  readonly calls: number
  /** Of calls: those that threw, answered nonsense, were late or were lost. */
  readonly failures: number
  /** How often it ended without being stopped. */
  readonly crashes: number
  /** Events that it was not given, as too many waited. */
  readonly eventsLeftOut: number
}

/** What a supervisor is made for. */
export interface SupervisorOptions {
  readonly name: string
  /** Loads the module, which starts nothing; rejects with an Error that says why it cannot be used. */
  readonly load: () => Promise<PluginInstance>
  /** What it is started with, read for each start. */
  readonly start: () => PluginStart
  readonly metrics: Pick<Metrics, 'pluginCalls' | 'pluginCrashes' | 'pluginEventsLeftOut'>
  readonly clock: Clock
  readonly logger: Logger
  /** Status, error or instance have changed; must not throw. */
  readonly onChange: () => void
  readonly pauses?: BackoffPolicy
}

const PAUSES: BackoffPolicy = { firstMs: 1000, maxMs: 300_000 }
const WINDOW_MS = 15 * 60_000
const MAX_FAILURES = 5

/** One for each enabled plugin of this process. */
export class PluginSupervisor {
  readonly name: string
  readonly #options: SupervisorOptions
  readonly #stopping = new AbortController()
  #loop: Promise<void> = Promise.resolve()
  #instance: PluginInstance | null = null
  #phase: 'STARTING' | 'RUNNING' | 'FAILED' = 'STARTING'
  #lastError: string | null = null
  #counts = { calls: 0, failures: 0, crashes: 0, eventsLeftOut: 0 }
  /** When it failed, in the last 15 minutes. */
  #failuresMs: number[] = []
  /** How often it was started again without 15 quiet minutes between. */
  #restarts = 0
  readonly #tried = Promise.withResolvers<void>()
  /** Resolves when the life under way is to end because there were too many failures. */
  #rest = Promise.withResolvers<'REST'>()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.name = options.name
    // A series that begins with its first failure has no increase: an alert would not see that one.
    for (const outcome of COUNTED) options.metrics.pluginCalls.inc({ plugin: this.name, outcome }, 0)
    options.metrics.pluginCrashes.inc({ plugin: this.name }, 0)
    options.metrics.pluginEventsLeftOut.inc({ plugin: this.name }, 0)
  }

  /** The plugin, if it takes calls now. */
  get instance(): PluginInstance | null {
    return this.#instance
  }

  /** Resolves when it takes calls for the first time, or has failed, or was stopped before. */
  get tried(): Promise<void> {
    return this.#tried.promise
  }

  /** As of now: failures grow old. */
  get status(): SupervisorStatus {
    if (this.#phase === 'FAILED') return 'FAILED'
    if (this.#recentFailures() >= MAX_FAILURES) return 'DEGRADED'
    return this.#phase === 'RUNNING' ? 'READY' : 'STARTING'
  }

  /** The last failure, in one line; null: none since the server started. */
  get lastError(): string | null {
    return this.#lastError
  }

  /** Since this supervisor was made. */
  get counts(): PluginCounts {
    return this.#counts
  }

  /** Once. */
  start(): void {
    this.#loop = this.#run()
  }

  /** Ends it; resolves when it has ended. Repeatable; never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#tried.resolve()
    await this.#loop
  }

  /** How a call went. Those that failed count towards DEGRADED. */
  report({ outcome, message }: Pick<HookReport, 'outcome' | 'message'>): void {
    if (outcome === 'NOT_CALLED') return
    this.#options.metrics.pluginCalls.inc({ plugin: this.name, outcome: outcome.toLowerCase() })
    this.#counts = { ...this.#counts, calls: this.#counts.calls + 1 }
    if (outcome === 'OK' || outcome === 'ENDED') return
    this.#counts = { ...this.#counts, failures: this.#counts.failures + 1 }
    // The end of its thread counts itself.
    if (outcome !== 'LOST') this.#failed(message ?? outcome)
    if (this.#recentFailures() >= MAX_FAILURES) this.#rest.resolve('REST')
  }

  /** An event was not given to it. */
  leftOut(): void {
    this.#options.metrics.pluginEventsLeftOut.inc({ plugin: this.name })
    this.#counts = { ...this.#counts, eventsLeftOut: this.#counts.eventsLeftOut + 1 }
  }

  async #run(): Promise<void> {
    const { clock, pauses = PAUSES } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const isOver = await this.#live()
      this.#options.onChange()
      if (isOver || signal.aborted) return
      await clock.sleep(backoffMs(pauses, this.#restarts, randomFraction()), signal)
      this.#restarts += 1
    }
  }

  /** One life, from its start to its end. True: it is not to be started again. */
  async #live(): Promise<boolean> {
    this.#phase = 'STARTING'
    this.#rest = Promise.withResolvers()
    const instance = await this.#load()
    if (typeof instance === 'string') return instance === 'UNUSABLE'
    const stopped = untilAborted(this.#stopping.signal)
    try {
      await Promise.race([instance.start(this.#options.start()), stopped])
      if (this.#stopping.signal.aborted) return true
      this.#phase = 'RUNNING'
      this.#instance = instance
      this.#tried.resolve()
      this.#options.onChange()
      const ended = await Promise.race([instance.lost.then((reason) => ({ reason })), this.#rest.promise, stopped])
      if (typeof ended === 'object') this.#crashed(ended.reason)
      return ended === 'STOPPED'
    } catch (error) {
      this.#failed(`it did not start: ${error instanceof Error ? error.message : String(error)}`)
      return false
    } finally {
      this.#instance = null
      if (this.#phase === 'RUNNING') this.#phase = 'STARTING'
      await instance.stop()
    }
  }

  /** UNUSABLE is FAILED. */
  async #load(): Promise<PluginInstance | 'LATE' | 'UNUSABLE'> {
    const { name, load, start } = this.#options
    let instance: PluginInstance | null = null
    try {
      instance = await load()
      if (instance.manifest.name !== name) throw new Error(`its name is "${instance.manifest.name}", not "${name}"`)
      const problem = await instance.check(start().settings)
      if (problem !== null) throw new Error(`its settings are refused: ${problem}`)
      return instance
    } catch (error) {
      const isLate = error instanceof PluginError && error.kind === 'LATE'
      if (!isLate) this.#phase = 'FAILED'
      this.#failed(error instanceof Error ? error.message : String(error))
      await instance?.stop()
      return isLate ? 'LATE' : 'UNUSABLE'
    }
  }

  #crashed(reason: string): void {
    this.#options.metrics.pluginCrashes.inc({ plugin: this.name })
    this.#counts = { ...this.#counts, crashes: this.#counts.crashes + 1 }
    this.#failed(reason)
  }

  #failed(message: string): void {
    const { name, logger, onChange, clock } = this.#options
    if (this.#recentFailures() === 0) this.#restarts = 0
    this.#failuresMs.push(clock.monotonicMs())
    this.#lastError = message.slice(0, 2000)
    this.#tried.resolve()
    logger.warn({ plugin: name, error: this.#lastError }, 'a plugin failed; it is left out')
    onChange()
  }

  #recentFailures(): number {
    const sinceMs = this.#options.clock.monotonicMs() - WINDOW_MS
    this.#failuresMs = this.#failuresMs.filter((ms) => ms > sinceMs).slice(-100)
    return this.#failuresMs.length
  }
}

function untilAborted(signal: AbortSignal): Promise<'STOPPED'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('STOPPED')
    else signal.addEventListener('abort', () => resolve('STOPPED'), { once: true })
  })
}
