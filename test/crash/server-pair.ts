/**
 * Two servers on one database. One that is killed is started again at once; a caller that needs a server gets one that
 * answers, at random, and waits while there is none.
 */
import pg from 'pg'
import { readProcess } from '../../src/execution/process/process-tree.ts'
import { ServerProcess, type LogLine } from '../harness/server-process.ts'
import { hostOf } from '../sandbox/host-of.ts'
import type { SeededRandom } from '../harness/seeded-random.ts'
import type { Takeovers } from './takeovers.ts'

export interface ServerPairOptions {
  readonly home: string
  readonly databaseUrl: string
  readonly takeovers: Takeovers
  readonly random: SeededRandom
  readonly onLog?: (server: number, line: LogLine) => void
}

interface Slot {
  /** Null while it is being started. */
  server: ServerProcess | null
  starting: Promise<void>
}

/** What a healthy server has no reason to log, as messages. */
const ALARMS = [/^a bug ended the turn/, /^uncaughtException/, /^unhandledRejection/, /masked$/]

/** How long the first kill waits for a server that has something to lose. */
const BUSY_WITHIN_MS = 10_000
const BUSY_CHECK_MS = 10

/** With which a server ends that cannot reach its database; whatever supervises it starts it again. */
const DATABASE_AWAY = 'The database cannot be reached at the moment'
const MAX_STARTS = 10

const PAUSED = 'SELECT id FROM turns WHERE id = ANY ($1) AND paused_at IS NOT NULL'

export class ServerPair implements AsyncDisposable {
  readonly #options: ServerPairOptions
  readonly #slots: Slot[]
  readonly #alarms: string[] = []
  #started = 0
  #killed = 0
  #stopping = false
  #failure: Error | null = null

  constructor(options: ServerPairOptions) {
    this.#options = options
    this.#slots = [0, 1].map(() => ({ server: null, starting: Promise.resolve() }))
    for (const slot of this.#slots) slot.starting = this.#start(slot)
  }

  /** Log lines that speak of bugs. */
  get alarms(): readonly string[] {
    return this.#alarms
  }

  /** How many servers have been started. */
  get started(): number {
    return this.#started
  }

  /** The URL of a server that answers (as far as one can know). Rejects when a server does not start at all. */
  async anyUrl(random: SeededRandom): Promise<string> {
    return (await this.#anyOf(random)).server.url
  }

  /** Resolves when both answer. */
  async settled(): Promise<void> {
    await Promise.all(this.#slots.map(({ starting }) => starting))
    if (this.#failure !== null) throw this.#failure
  }

  /**
   * Kills one of them, which is then started again. Resolves when it is dead. The first one runs a turn, so that there
   * is something to take over however few are killed.
   */
  async kill(): Promise<void> {
    const { slot, server } = await this.#anyOf(this.#options.random)
    if (this.#killed === 0) await this.#untilBusy(server)
    this.#killed += 1
    slot.server = null
    this.#options.takeovers.died(server.pid, 'KILLED')
    const dead = server.kill()
    slot.starting = dead.then(() => this.#start(slot))
    await dead
    await this.#leaveOutPaused()
  }

  /** The one with more to do stands still for so long, and is then as it was. */
  async pause(ms: number): Promise<void> {
    const { takeovers, random } = this.#options
    const ready = this.#slots.flatMap(({ server }) => (server === null ? [] : [server]))
    const busiest = ready.toSorted((a, b) => takeovers.runningOn(b.pid) - takeovers.runningOn(a.pid))[0]
    const server = busiest ?? (await this.#anyOf(random)).server
    takeovers.died(server.pid, 'HANGS')
    server.signal('SIGSTOP')
    await this.#leaveOutPaused()
    await new Promise((resolve) => setTimeout(resolve, ms))
    server.signal('SIGCONT')
  }

  /**
   * The process that starts a server's commands dies, or stands still: for so long, or until its server has replaced
   * it.
   */
  async harmHost(how: 'KILL' | 'STOP', goOnAfterMs: number | null = null): Promise<void> {
    const { server } = await this.#anyOf(this.#options.random)
    const host = hostOf(server.pid)
    if (host === undefined) return // it is being replaced
    process.kill(host, how === 'KILL' ? 'SIGKILL' : 'SIGSTOP')
    if (goOnAfterMs === null) return
    await new Promise((resolve) => setTimeout(resolve, goOnAfterMs))
    if (readProcess(host)?.parentPid === server.pid) process.kill(host, 'SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping = true
    await Promise.all(
      this.#slots.map(async (slot) => {
        await slot.starting
        await slot.server?.kill()
      }),
    )
  }

  /** The rows know of pauses that were committed, but not logged any more. */
  async #leaveOutPaused(): Promise<void> {
    const { databaseUrl, takeovers } = this.#options
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      const { rows } = await client.query<{ id: string }>(PAUSED, [takeovers.still])
      takeovers.paused(rows.map(({ id }) => id))
    } finally {
      await client.end()
    }
  }

  async #untilBusy({ pid }: ServerProcess): Promise<void> {
    const { takeovers } = this.#options
    for (let leftMs = BUSY_WITHIN_MS; leftMs > 0 && takeovers.runningOn(pid) === 0; leftMs -= BUSY_CHECK_MS)
      await new Promise((resolve) => setTimeout(resolve, BUSY_CHECK_MS))
  }

  async #anyOf(random: SeededRandom): Promise<{ slot: Slot; server: ServerProcess }> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure
      const ready = this.#slots.flatMap((slot) => (slot.server === null ? [] : [{ slot, server: slot.server }]))
      if (ready.length > 0) return random.pick(ready)
      await Promise.race(this.#slots.map(({ starting }) => starting))
    }
  }

  async #start(slot: Slot): Promise<void> {
    const { home, databaseUrl } = this.#options
    const onLog = (pid: number, line: LogLine): void => this.#hear(pid, line)
    for (let left = MAX_STARTS; !this.#stopping && slot.server === null; left -= 1) {
      this.#started += 1
      try {
        slot.server = await ServerProcess.start({ home, databaseUrl, onLog })
      } catch (error) {
        const failure = error instanceof Error ? error : new Error(String(error))
        if (left > 1 && failure.message.includes(DATABASE_AWAY)) continue
        this.#failure = failure
        return
      }
    }
  }

  #hear(pid: number, line: LogLine): void {
    this.#options.takeovers.note(pid, line)
    this.#options.onLog?.(pid, line)
    if (ALARMS.some((alarm) => alarm.test(line.msg))) this.#alarms.push(JSON.stringify(line))
  }
}
