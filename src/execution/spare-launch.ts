/**
 * One launch that is started before there is a command for it: an ADMIN's next command then begins in a namespace that is
 * already there, which takes half the time. Made by `host-runner.ts` after a command has ended, never while one waits.
 *
 * What must hold: a launch is given away at most once; one that nobody takes ends soon, and with the host at the latest
 * (bubblewrap and the closed socket see to that); nothing is given away after `close`. It knows nothing of any session.
 */
import type { Clock } from '../platform/clock.ts'
import { orderFor, planSpareLaunch, type AdminCommand } from './admin-launch.ts'
import type { OutputPipes } from './output-pipes.ts'
import { startLaunch, type StartedLaunch } from './start-launch.ts'

export interface SpareLaunchOptions {
  readonly clock: Clock
  readonly pipes: OutputPipes
  /** For the log. */
  readonly onProblem: (message: string) => void
}

/** An idle server keeps no idle processes, and what is mounted meanwhile is not missed for long. */
const MAX_AGE_MS = 60_000
/** A waiting shell reads its command byte by byte; for a longer one a new launch is faster. */
const MAX_COMMAND_CHARS = 4_096

export class SpareLaunch {
  readonly #options: SpareLaunchOptions
  #waiting: StartedLaunch | null = null
  #isStarting = false
  #isClosed = false
  #cancelExpiry: () => void = () => {}
  readonly #ending = new Set<Promise<void>>()

  constructor(options: SpareLaunchOptions) {
    this.#options = options
  }

  /** Starts one, if there is none. Rejects when there is no process to be had. */
  async prepare(bubblewrap: string): Promise<void> {
    if (this.#waiting !== null || this.#isStarting || this.#isClosed) return
    this.#isStarting = true
    try {
      const started = await startLaunch(planSpareLaunch(bubblewrap), this.#options.pipes)
      this.#waiting = started
      this.#cancelExpiry = this.#options.clock.after(MAX_AGE_MS, () => this.#drop())
      void started.exit.then(() => this.#noteEnd(started))
    } finally {
      this.#isStarting = false
    }
    if (this.#isClosed) this.#drop()
  }

  /** The launch that was waiting, now with its command; null when there is none or the command is not for it. */
  take(command: AdminCommand): StartedLaunch | null {
    const started = this.#waiting
    if (started === null || command.command.length > MAX_COMMAND_CHARS) return null
    this.#waiting = null
    this.#cancelExpiry()
    started.ready?.write(orderFor(command))
    return started
  }

  /** Ends what waits; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#drop()
    await Promise.all(this.#ending)
  }

  #drop(): void {
    const started = this.#waiting
    if (started === null) return
    this.#waiting = null
    this.#cancelExpiry()
    const ended = endUnused(started).finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }

  #noteEnd(started: StartedLaunch): void {
    if (this.#waiting !== started) return // it had a command, or was told to end
    this.#options.onProblem("A launch that was prepared for an admin's command has ended before there was one.")
    this.#drop()
  }
}

/** Read to their end, the pipes can be used again. */
async function endUnused({ ready, stdout, stderr, exit }: StartedLaunch): Promise<void> {
  ready?.destroy()
  await Promise.all([exit, stdout.read(() => {}), stderr.read(() => {})])
}
