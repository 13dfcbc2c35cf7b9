/** All that goes on while a storm rages: sessions that are sent messages, people who decide, schedules that fire. */
import { systemClock } from '../../src/platform/clock.ts'
import { Deciders } from './deciders.ts'
import { countOpenRuns } from './final-decisions.ts'
import { countPendingDeliveries } from './final-records.ts'
import { PluginLoad } from './plugin-load.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import { ScheduleLoad } from './schedule-load.ts'
import { SessionLoad } from './session-load.ts'

export interface StormLoadOptions {
  readonly sessions: number
  readonly schedules: number
  /** The tokens of two admins. */
  readonly tokens: readonly [string, string]
  /** Names this run: the database may hold the sessions of others. */
  readonly run: string
  readonly databaseUrl: string
  readonly marks: string
  readonly overlaps: string
  readonly scheduleMarks: string
  readonly home: string
  readonly toolMarks: string
  readonly webhookOf: (index: number) => string | null
  readonly anyUrl: (random: SeededRandom) => Promise<string>
  readonly random: SeededRandom
}

/** The admins of the two tokens. */
export const ADMINS = ['admin', 'second'] as const

export const REST_TIMEOUT_MS = 90_000
const LOOK_MS = 250

export class StormLoad {
  readonly sessions: readonly SessionLoad[]
  readonly deciders: Deciders
  readonly schedules: ScheduleLoad
  readonly plugin: PluginLoad
  readonly #databaseUrl: string
  readonly #stopSending = new AbortController()
  readonly #stopDeciding = new AbortController()
  #sending: Promise<unknown> = Promise.resolve()
  #deciding: Promise<unknown> = Promise.resolve()

  constructor(options: StormLoadOptions) {
    const { sessions, tokens, run, webhookOf, random, anyUrl } = options
    const [token, second] = tokens
    this.#databaseUrl = options.databaseUrl
    this.sessions = Array.from({ length: sessions }, (_, index) => {
      const place = { sessionId: `cli:storm-${run}-${index + 1}`, webhook: webhookOf(index) }
      return new SessionLoad({
        ...place,
        token,
        marks: options.marks,
        overlaps: options.overlaps,
        anyUrl,
        random: random.fork(),
      })
    })
    const people = [
      { user: ADMINS[0], token },
      { user: ADMINS[1], token: second },
    ]
    this.deciders = new Deciders({ people, prefix: `cli:storm-${run}-`, anyUrl, random: random.fork() })
    this.plugin = new PluginLoad({ ...options, token, random: random.fork() })
    this.schedules = new ScheduleLoad({ ...options, token, marks: options.scheduleMarks, random: random.fork() })
  }

  get sessionIds(): string[] {
    return this.sessions.map((load) => load.options.sessionId)
  }

  get scheduleIds(): string[] {
    return this.schedules.schedules.map(({ id }) => id)
  }

  get complaints(): string[] {
    return [...this.deciders.complaints, ...this.schedules.complaints, ...this.plugin.complaints]
  }

  /** Begins. Never resolves; rejects when something cannot go on. */
  start(): Promise<never> {
    const { signal } = this.#stopSending
    this.#sending = Promise.all([
      ...this.sessions.map((load) => load.send(signal)),
      this.schedules.fire(signal),
      this.plugin.toggle(signal),
    ])
    this.#deciding = this.deciders.decide(this.#stopDeciding.signal)
    return new Promise((_, reject) => {
      for (const work of [this.#sending, this.#deciding]) work.catch(reject)
    })
  }

  /** Nothing new from now on; false when not every turn was seen to end in time. */
  async rest(): Promise<boolean> {
    this.#stopSending.abort()
    await this.#sending
    const tooLate = new AbortController()
    const timeout = systemClock.sleep(REST_TIMEOUT_MS, tooLate.signal).then(() => false)
    const ended = Promise.all(this.sessions.map((load) => load.untilEnded())).then(() => true)
    const atRest = await Promise.race([ended, timeout])
    tooLate.abort()
    this.#stopDeciding.abort()
    await this.#deciding
    await Promise.all(this.sessions.map((load) => load.stop()))
    await this.#settled()
    return atRest
  }

  /**
   * Until no delivery is pending and no run is open, or too late: then the verdict says so. A delivery that a server
   * was posting when it was killed is due again when its lease ends, and found by the sweep of the next minute.
   */
  async #settled(): Promise<void> {
    const tooLateMs = performance.now() + REST_TIMEOUT_MS
    const open = async (): Promise<number> =>
      (await countPendingDeliveries(this.#databaseUrl, this.sessionIds)) +
      (await countOpenRuns(this.#databaseUrl, this.scheduleIds))
    while (performance.now() < tooLateMs && (await open()) > 0) await systemClock.sleep(LOOK_MS)
  }
}
