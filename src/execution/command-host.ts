/**
 * The server's side of the command host (see `command-host-main.ts`): starts it, asks it, and starts it again when it is lost.
 * `run-command.ts` owns the one instance.
 *
 * What must hold: a host is asked for commands only after its probe has been answered, since only that tells it what works
 * here; and every request is answered or rejected, also when the host dies.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { AppError, messageOf } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { CODE_CACHE } from '../platform/code-cache.ts'
import type { SandboxState } from './command.ts'
import type { CommandRequest, HostAnswer, HostOutcome, HostRequest, HostSettings } from './host-messages.ts'
import type { OnOutput } from './output-capture.ts'

export interface CommandHostOptions {
  readonly settings: HostSettings
  readonly clock: Clock
  /** A new host has been probed. */
  readonly onProbed: (sandbox: SandboxState) => void
  /** For the log. */
  readonly onProblem: (message: string) => void
}

type FinalAnswer = Exclude<HostAnswer, { type: 'OUTPUT' | 'PROBLEM' }>

interface OpenRequest {
  readonly onOutput: OnOutput
  readonly resolve: (answer: FinalAnswer) => void
  readonly reject: (error: unknown) => void
}

const MAIN = fileURLToPath(new URL('command-host-main.ts', import.meta.url))
/** It handles a few megabytes at a time; a small heap keeps its processes quick to start. */
const NODE_FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=256']
/** It gives itself less (see `command-host-main.ts`). */
const MAX_SHUTDOWN_MS = 10_000

export class CommandHost {
  readonly #options: CommandHostOptions
  readonly #open = new Map<number, OpenRequest>()
  #nextId = 1
  #started: Promise<ChildProcess> | null = null
  #isStopped = false

  constructor(options: CommandHostOptions) {
    this.#options = options
  }

  /** Resolves when the host is there and probed. Rejects with COMMAND_NOT_STARTED when there is no process to be had. */
  async start(): Promise<void> {
    await this.#whenStarted()
  }

  /** Rejects with COMMAND_NOT_STARTED when nothing ran, with COMMAND_LOST when nobody can tell what did. */
  async run(request: CommandRequest, onOutput: OnOutput, signal: AbortSignal): Promise<HostOutcome> {
    const child = await this.#whenStarted()
    if (signal.aborted) return { kind: 'killed', cause: 'cancelled', stdout: '', stderr: '', truncated: false }
    const id = this.#nextId++
    const cancel = (): void => void child.send({ type: 'CANCEL', id } satisfies HostRequest, () => {})
    const answered = this.#ask(child, { type: 'RUN', id, request }, onOutput)
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answer = await answered
      return answer.type === 'OUTCOME' ? answer.outcome : unexpected(answer)
    } catch (error) {
      cancel()
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  async probe(): Promise<SandboxState> {
    return this.#probeWith(await this.#whenStarted())
  }

  async saveOutput(sessionId: string, path: string, text: string): Promise<void> {
    await this.#ask(await this.#whenStarted(), { type: 'SAVE_OUTPUT', id: this.#nextId++, sessionId, path, text })
  }

  /** Ends whatever still runs, and the host. It is not started again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const child = await this.#started?.catch(() => null)
    if (child?.connected !== true) return
    const exited = once(child, 'exit')
    child.disconnect()
    const cancelKill = this.#options.clock.after(MAX_SHUTDOWN_MS, () => child.kill('SIGKILL'))
    await exited
    cancelKill()
  }

  #whenStarted(): Promise<ChildProcess> {
    if (this.#isStopped) throw new AppError('SHUTTING_DOWN', 'The server is stopping: no command is started any more.')
    this.#started ??= this.#startHost()
    return this.#started
  }

  async #startHost(): Promise<ChildProcess> {
    const child = fork(MAIN, [JSON.stringify(this.#options.settings)], {
      execArgv: NODE_FLAGS,
      // The compiler would stay in its memory, and make every start of a process twice as slow.
      env: { NODE_COMPILE_CACHE: CODE_CACHE },
      detached: true, // a Ctrl-C at the terminal must not reach it before the server has drained
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child.on('message', (answer: HostAnswer) => this.#receive(answer))
    child.once('error', (error) => this.#lose(messageOf(error)))
    child.once('exit', (code, signal) => this.#lose(`it ended with ${signal ?? `code ${code}`}`))
    this.#options.onProbed(await this.#probeWith(child))
    return child
  }

  async #probeWith(child: ChildProcess): Promise<SandboxState> {
    const answer = await this.#ask(child, { type: 'PROBE', id: this.#nextId++ })
    return answer.type === 'PROBED' ? answer.sandbox : unexpected(answer)
  }

  #ask(child: ChildProcess, request: HostRequest, onOutput: OnOutput = () => {}): Promise<FinalAnswer> {
    const { id } = request
    return new Promise((resolve, reject) => {
      this.#open.set(id, { onOutput, resolve, reject })
      child.send(request, (error) => {
        if (error !== null)
          this.#reject(id, new AppError('COMMAND_NOT_STARTED', 'The command host is gone.', { cause: error }))
      })
    })
  }

  #receive(answer: HostAnswer): void {
    if (answer.type === 'PROBLEM') return this.#options.onProblem(answer.message)
    const request = this.#open.get(answer.id)
    if (request === undefined) return // it was rejected meanwhile
    if (answer.type === 'OUTPUT') return this.#passOutput(answer, request)
    this.#open.delete(answer.id)
    if (answer.type === 'FAILED')
      request.reject(new AppError('COMMAND_NOT_STARTED', answer.message, { retry: 'backoff' }))
    else request.resolve(answer)
  }

  #passOutput({ id, pieces }: Extract<HostAnswer, { type: 'OUTPUT' }>, request: OpenRequest): void {
    try {
      for (const [stream, text] of pieces) request.onOutput(stream, text)
    } catch (error) {
      this.#reject(id, error)
    }
  }

  #reject(id: number, error: unknown): void {
    const request = this.#open.get(id)
    this.#open.delete(id)
    request?.reject(error)
  }

  /** What was running has ended with the host (the kernel sees to it where bubblewrap is in use). */
  #lose(reason: string): void {
    this.#started = null
    if (this.#open.size > 0) this.#options.onProblem(`The command host is lost: ${reason}.`)
    const message = `The process that runs commands is lost (${reason}); what the command did is not known.`
    for (const id of this.#open.keys()) this.#reject(id, new AppError('COMMAND_LOST', message))
  }
}

function unexpected(answer: FinalAnswer): never {
  throw new AppError('COMMAND_LOST', `The command host gave an answer to another question: ${answer.type}.`)
}
