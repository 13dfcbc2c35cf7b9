/**
 * The server's side of the command host (see `command-host-main.ts`): keeps one running, asks it, and replaces it when
 * it is lost. `run-command.ts` owns the one instance.
 *
 * What must hold: a host is asked for commands only after its probe has been answered, since only that tells it what
 * works here; and there is never a second one while anything of the first may still run.
 */
import { AppError, messageOf } from '../../core/errors.ts'
import { must } from '../../platform/must.ts'
import { retried } from '../../platform/waiting/retried.ts'
import type { SandboxState } from '../command.ts'
import type { CommandPlace, CommandRequest, HostOutcome, SaveOutputRequest } from './host-messages.ts'
import { sweepLeftBehind } from './host-folder.ts'
import { HostProcess, unexpected, type HostProcessOptions } from './host-process.ts'
import type { OnOutput } from '../output/output-capture.ts'
import { runOnHost } from './run-on-host.ts'

interface CommandHostOptions extends HostProcessOptions {
  /** A new host has been probed. */
  readonly onProbed: (sandbox: SandboxState) => void
}

const RESTART_BACKOFF = { firstMs: 100, maxMs: 5_000 }
/** How many hosts may die on a command before they take it. */
const MAX_ATTEMPTS = 3
/** A caller waits so long for a host that is being replaced. */
const MAX_WAIT_MS = 20_000

/**
 * Runs any number of commands at once. A host that is lost is replaced in the background until `stop`; calls wait for
 * that for a while, then reject with COMMAND_NOT_STARTED (retry: backoff).
 */
export class CommandHost {
  readonly #options: CommandHostOptions
  readonly #stopping = new AbortController()
  #nextId = 1
  /** The one that is probed, or about to be. */
  #started: Promise<HostProcess> | null = null
  #latest: HostProcess | null = null
  /** Until when commands may run, in the machine's time. */
  #allowedUntilMs = 0
  /** Null: `#latest` is probed. */
  #whyNone: string | null = 'it has not been started yet'

  constructor(options: CommandHostOptions) {
    this.#options = options
  }

  /**
   * Resolves when the host is there and probed. Rejects with COMMAND_NOT_STARTED when there is none to be had; it is
   * not tried again.
   */
  async start(): Promise<void> {
    await this.#sweep()
    this.#started = this.#startOne()
    await this.#started
  }

  /** Why no command can be started now; null: the host is there and answers. */
  problem(): string | null {
    if (this.#whyNone !== null || this.#latest === null) return this.#whyNone
    if (this.#latest.isEnding) return 'it is being replaced'
    return this.#latest.isSilent ? 'it does not answer' : null
  }

  /** Rejects as `runOnHost` does, and with SHUTTING_DOWN after `stop`. */
  async run(request: CommandRequest, onOutput: OnOutput, signal: AbortSignal): Promise<HostOutcome> {
    const { clock, deadlines } = this.#options
    const { beyondTimeoutMs } = deadlines
    for (let attempt = 1; ; attempt += 1) {
      const host = await this.#whenStarted(signal)
      if (host === null || signal.aborted)
        return { kind: 'killed', cause: 'cancelled', stdout: '', stderr: '', truncated: false }
      try {
        return await runOnHost(host, { id: this.#nextId++, request, onOutput, signal, clock, beyondTimeoutMs })
      } catch (error) {
        // A host that has died before it took the command has done nothing of it.
        const isUntouched = error instanceof AppError && error.code === 'COMMAND_NOT_STARTED' && host.isEnding
        if (!isUntouched || attempt === MAX_ATTEMPTS) throw error
      }
    }
  }

  /** A command may come soon. Nothing happens when there is no host now. */
  prepare(place: CommandPlace): void {
    if (this.problem() === null) this.#latest?.prepare(place)
  }

  /** Commands may run until then; when it passes, the host ends them by itself. */
  allowUntil(untilMs: number): void {
    this.#allowedUntilMs = untilMs
    this.#latest?.allow(untilMs)
  }

  /** Ends all commands, and allows none. Resolves when none runs. */
  async endAll(): Promise<void> {
    this.allowUntil(0)
    const host = this.#latest
    if (host === null) return
    const { cancelMs } = this.#options.deadlines
    // One that is lost meanwhile takes its commands along.
    await host.ask({ type: 'AWAIT_IDLE', id: this.#nextId++ }, { limitMs: cancelMs }).catch(() => host.lost)
  }

  /**
   * Checks the sandbox anew. Rejects with COMMAND_NOT_STARTED (retry: backoff) when there is no host for a while, with
   * COMMAND_LOST when it is lost meanwhile, with SHUTTING_DOWN after `stop`.
   */
  async probe(): Promise<SandboxState> {
    const { signal } = this.#stopping
    const host = await this.#whenStarted(signal)
    if (host === null) throw shuttingDown()
    return this.#probeWith(host)
  }

  /** Rejects when the disk does not take it, or there is no host for a while. */
  async saveOutput(output: SaveOutputRequest): Promise<void> {
    const host = await this.#whenStarted(this.#stopping.signal)
    if (host === null) throw shuttingDown()
    const request = { type: 'SAVE_OUTPUT', id: this.#nextId++, ...output } as const
    await host.ask(request, { limitMs: this.#options.deadlines.saveMs })
  }

  /** Ends whatever still runs, and the host. It is not started again. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#latest?.stop()
    await this.#started?.catch(() => {}) // its callers get the rejection
  }

  /**
   * Null: `signal` has aborted before there was one. Rejects with COMMAND_NOT_STARTED when there is none for a while.
   */
  async #whenStarted(signal: AbortSignal): Promise<HostProcess | null> {
    for (;;) {
      if (this.#stopping.signal.aborted || this.#started === null) throw shuttingDown()
      if (this.#whyNone === null && this.#latest?.isEnding === false) return this.#latest
      const host = await this.#soon(this.#started, signal)
      if (host?.isEnding !== true) return host
      await this.#soon(host.lost, signal) // then the next one is on its way
      if (signal.aborted) return null
    }
  }

  async #soon<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
    const given = new AbortController()
    const timedOut = this.#options.clock.sleep(MAX_WAIT_MS, AbortSignal.any([signal, given.signal])).then(() => {
      if (signal.aborted || given.signal.aborted) return null
      const message = `The process that runs commands cannot be replaced: ${this.#whyNone}.`
      throw new AppError('COMMAND_NOT_STARTED', message, { retry: 'backoff' })
    })
    try {
      return await Promise.race([promise, timedOut])
    } finally {
      given.abort()
    }
  }

  async #startOne(): Promise<HostProcess> {
    if (this.#stopping.signal.aborted) throw shuttingDown()
    const host = new HostProcess(this.#options)
    this.#latest = host
    host.allow(this.#allowedUntilMs)
    try {
      const sandbox = await this.#probeWith(host)
      this.#whyNone = null
      this.#options.onProbed(sandbox)
    } catch (error) {
      await host.stop()
      throw new AppError('COMMAND_NOT_STARTED', messageOf(error), { retry: 'backoff', cause: error })
    }
    void host.lost.then((reason) => this.#replace(reason))
    return host
  }

  #replace(reason: string): void {
    this.#whyNone = reason
    if (this.#stopping.signal.aborted) return
    this.#started = this.#startAgain()
    this.#started.catch(() => {}) // its callers get the rejection
  }

  async #startAgain(): Promise<HostProcess> {
    const { clock, onProblem } = this.#options
    const start = async (): Promise<HostProcess> => {
      await this.#sweep()
      return this.#startOne()
    }
    const host = await retried(start, {
      clock,
      pauses: RESTART_BACKOFF,
      isWanted: () => true,
      onFailure: (error) => {
        if (this.#stopping.signal.aborted) throw error
        this.#whyNone = messageOf(error)
        onProblem(`The command host could not be started; it is tried again: ${this.#whyNone}`)
      },
      signal: this.#stopping.signal,
    })
    return must(host, 'it is wanted until it is there')
  }

  #sweep(): Promise<void> {
    const { settings, clock, onProblem } = this.#options
    return sweepLeftBehind({ home: settings.home, clock, onProblem })
  }

  async #probeWith(host: HostProcess): Promise<SandboxState> {
    const { probeMs } = this.#options.deadlines
    const answer = await host.ask({ type: 'PROBE', id: this.#nextId++ }, { limitMs: probeMs })
    return answer.type === 'PROBED' ? answer.sandbox : unexpected(answer)
  }
}

function shuttingDown(): AppError {
  return new AppError('SHUTTING_DOWN', 'The server is stopping: no command is started any more.')
}
