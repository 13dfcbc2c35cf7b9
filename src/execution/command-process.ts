/**
 * One command from start to end: starts the process that a launch describes, captures its output, ends its whole tree on
 * timeout, cancel or a broken limit, and says what happened. Used by the command host, for every role.
 *
 * What must hold: `result` settles when the command itself has ended, even if something it left behind keeps its output
 * open; and when it settles, nothing of it runs any more (as far as the launch's isolation promises).
 */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { messageOf } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { CommandOutput } from './command.ts'
import type { CommandLimits } from './command-limits.ts'
import type { Launch } from './launch.ts'
import { OutputCapture, type OnOutput } from './output-capture.ts'
import type { OutputPipe, OutputPipes } from './output-pipes.ts'
import { isNamespaceEmpty, isRunning, killProcess, readProcess } from './process-tree.ts'
import { spawnLaunch, type SpawnedLaunch } from './spawn-launch.ts'
import { killStragglers } from './stragglers.ts'

export type KillCause = 'timeout' | 'memory' | 'disk' | 'output' | 'cancelled'

export type ProcessResult =
  | ({ readonly kind: 'exited'; readonly exitCode: number } & CommandOutput)
  | ({ readonly kind: 'killed'; readonly cause: KillCause } & CommandOutput)
  /** Nothing of the command ran: no process, or the sandbox or its limits could not be set up. */
  | { readonly kind: 'not-started'; readonly reason: string }

export interface CommandProcessOptions {
  readonly launch: Launch
  readonly timeoutMs: number
  readonly limits: CommandLimits
  readonly clock: Clock
  readonly pipes: OutputPipes
  readonly onOutput: OnOutput
  /** The namespace exists; `initPid` is its first process, seen from here. Not called for PROCESS_GROUP. */
  readonly onNamespace: (initPid: number) => void
  /** Something of the command could not be ended. */
  readonly onProblem: (message: string) => void
}

type Exit = { readonly error: Error } | { readonly code: number | null; readonly signal: NodeJS.Signals | null }

/** How long output may stay open after the end of the command before it is given up. */
const DRAIN_MS = 1_000
/** How long killed processes may take to disappear: one that waits for a slow disk cannot be hurried. */
const DISAPPEAR_MS = 5_000

export class CommandProcess {
  readonly result: Promise<ProcessResult>
  readonly #options: CommandProcessOptions
  readonly #spawned: SpawnedLaunch
  readonly #capture: OutputCapture
  #initPid: number | null = null
  #statusText = ''
  /** The sandbox has said that its limits hold; the command follows. */
  #isReady = false
  #cause: KillCause | null = null
  #hasEnded = false

  /** Rejects when there are no pipes or no process to be had; what goes wrong later is in `result`. */
  static async start(options: CommandProcessOptions): Promise<CommandProcess> {
    const [stdout, stderr] = await options.pipes.takePair()
    try {
      return new CommandProcess(options, stdout, stderr)
    } catch (error) {
      stdout.abandon()
      stderr.abandon()
      throw error
    } finally {
      stdout.closeWriteEnd()
      stderr.closeWriteEnd()
    }
  }

  private constructor(options: CommandProcessOptions, stdout: OutputPipe, stderr: OutputPipe) {
    this.#options = options
    this.#capture = new OutputCapture(options.limits.outputBytes, options.onOutput)
    this.#spawned = spawnLaunch(options.launch, { stdoutFd: stdout.writeFd, stderrFd: stderr.writeFd })
    const { status, ready } = this.#spawned
    status?.on('data', (chunk: Buffer) => this.#readStatus(chunk.toString()))
    ready?.on('data', () => (this.#isReady = true))
    const closed = Promise.all([
      stdout.read((chunk) => this.#keep('STDOUT', chunk)),
      stderr.read((chunk) => this.#keep('STDERR', chunk)),
      untilClosed(status),
      untilClosed(ready),
    ])
    this.result = this.#supervise(closed, () => {
      stdout.abandon()
      stderr.abandon()
    })
  }

  /** Ends the whole tree; `result` tells the first cause. No effect when the command has ended. */
  kill(cause: KillCause): void {
    if (this.#cause !== null || this.#hasEnded) return
    this.#cause = cause
    this.#killTree()
  }

  async #supervise(closed: Promise<unknown>, abandonOutput: () => void): Promise<ProcessResult> {
    const { clock, timeoutMs } = this.#options
    const stopTimer = clock.after(timeoutMs, () => this.kill('timeout'))
    const exit = await untilExit(this.#spawned)
    stopTimer()
    this.#hasEnded = true
    await this.#endStragglers()
    const drain = new AbortController()
    await Promise.race([closed, clock.sleep(DRAIN_MS, drain.signal)])
    drain.abort()
    abandonOutput()
    await this.#untilNamespaceEmpty()
    return this.#describe(exit)
  }

  #describe(exit: Exit): ProcessResult {
    const output = this.#capture.finish()
    if (this.#cause !== null) return { kind: 'killed', cause: this.#cause, ...output }
    if ('error' in exit) return { kind: 'not-started', reason: messageOf(exit.error) }
    const exitCode = exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal])
    return this.#hasRun(exit)
      ? { kind: 'exited', exitCode, ...output }
      : { kind: 'not-started', reason: output.stderr.trim() || `bubblewrap ended with code ${exitCode}` }
  }

  /**
   * Exit codes do not tell: a command may end with any. bwrap writes an exit code on its status pipe only when the command
   * has run; whoever ends bwrap with a signal before that may have ended a running command.
   */
  #hasRun(exit: { readonly signal: NodeJS.Signals | null }): boolean {
    const { isolation } = this.#options.launch
    if (isolation === 'SANDBOX') return this.#isReady
    return isolation === 'PROCESS_GROUP' || exit.signal !== null || this.#statusText.includes('"exit-code"')
  }

  #keep(stream: 'STDOUT' | 'STDERR', chunk: Buffer): void {
    this.#capture.write(stream, chunk)
    if (this.#capture.receivedBytes > this.#options.limits.outputFloodBytes) this.kill('output')
  }

  /** bwrap tells, as JSON lines, the number of the namespace's first process and at the end the exit code. */
  #readStatus(text: string): void {
    this.#statusText += text
    const initPid = /"child-pid":\s*(\d+)/.exec(this.#statusText)?.[1]
    if (initPid === undefined || this.#initPid !== null) return
    this.#initPid = Number(initPid)
    if (this.#cause === null) this.#options.onNamespace(this.#initPid)
    else this.#killTree()
  }

  #killTree(): void {
    const { launch, clock } = this.#options
    const pid = this.#spawned.child.pid
    if (pid === undefined) return
    if (launch.isolation === 'PROCESS_GROUP') return void killStragglers(pid, launch.cwd)
    // The namespace's first process takes everything in it along; bwrap sees its end and ends too, which then proves that
    // nothing is left. Until bwrap has told its number, wait: to kill bwrap now could leave a half made namespace behind.
    if (this.#initPid !== null && readProcess(this.#initPid)?.parentPid === pid) killProcess(this.#initPid)
    clock.after(DRAIN_MS, () => {
      if (!this.#hasEnded) killProcess(pid)
    })
  }

  async #endStragglers(): Promise<void> {
    const { launch } = this.#options
    const pid = this.#spawned.child.pid
    if (launch.isolation !== 'PROCESS_GROUP' || pid === undefined) return
    const killed = killStragglers(pid, launch.cwd)
    await this.#until(() => !killed.some(isRunning))
  }

  /** The kernel ends the namespace with bwrap; that takes a moment when there was something left in it. */
  async #untilNamespaceEmpty(): Promise<void> {
    const initPid = this.#initPid
    if (initPid !== null) await this.#until(() => isNamespaceEmpty(initPid))
  }

  async #until(hasGone: () => boolean): Promise<void> {
    const { clock, onProblem } = this.#options
    const deadlineMs = clock.monotonicMs() + DISAPPEAR_MS
    while (!hasGone()) {
      if (clock.monotonicMs() > deadlineMs)
        return onProblem('Processes of a command do not end although they were killed.')
      await clock.sleep(1)
    }
  }
}

function untilExit({ child }: SpawnedLaunch): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', (error) => resolve({ error }))
  })
}

function untilClosed(stream: Readable | null): Promise<void> {
  return stream === null ? Promise.resolve() : new Promise((resolve) => stream.once('close', () => resolve()))
}
