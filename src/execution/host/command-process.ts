/**
 * One command from start to end: takes a launch that has been started, captures its output, ends its whole tree on
 * timeout, cancel or a broken limit, and says what happened. Used by the command host, for every role.
 *
 * What must hold: `result` settles when the command itself has ended, even if something it left behind keeps its output
 * open; and when it settles, nothing of it runs any more (as far as the launch's isolation promises).
 */
import { constants } from 'node:os'
import { messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { must } from '../../platform/must.ts'
import type { CommandOutput } from '../command.ts'
import type { CommandLimits } from '../command-limits.ts'
import { OutputCapture, type OnOutput } from '../output/output-capture.ts'
import type { Launch } from '../sandbox/launch.ts'
import {
  isNamespaceEmpty,
  isRunning,
  killProcess,
  findDescendants,
  findYoungerByEnvironment,
} from '../process/process-tree.ts'
import type { Exit, StartedLaunch } from '../sandbox/start-launch.ts'

/** Why a command was killed; 'disk': its workspace, or the disk itself, ran over a limit. */
export type KillCause = 'timeout' | 'memory' | 'disk' | 'output' | 'cancelled'

/** How a command ended, or why it never began. `exitCode` is 128 plus the signal's number when a signal ended it. */
export type ProcessResult =
  | ({ readonly kind: 'exited'; readonly exitCode: number } & CommandOutput)
  | ({ readonly kind: 'killed'; readonly cause: KillCause } & CommandOutput)
  /** Nothing of the command ran: no process, or the sandbox or its limits could not be set up. */
  | { readonly kind: 'not-started'; readonly reason: string }

/** What is needed to see one command to its end. */
export interface CommandProcessOptions {
  /** Owned by this object alone; its command begins now. */
  readonly started: StartedLaunch
  readonly timeoutMs: number
  readonly limits: CommandLimits
  readonly clock: Clock
  readonly onOutput: OnOutput
  /**
   * The command begins in its namespace; `initPid` is the first process there, seen from here. Not called for
   * PROCESS_GROUP. Not earlier: until bubblewrap has set everything up, that process sees all processes of the machine.
   */
  readonly onNamespace: (initPid: number) => void
  /** Something of the command could not be ended. */
  readonly onProblem: (message: string) => void
}

/** How long output may stay open after the end of the command before it is given up. */
const DRAIN_MS = 1_000
/** How long killed processes may take to disappear: one that waits for a slow disk cannot be hurried. */
const DISAPPEAR_MS = 5_000

/** Supervises from its construction on; `result` never rejects for what the command does. */
export class CommandProcess {
  readonly result: Promise<ProcessResult>
  readonly #options: CommandProcessOptions
  readonly #capture: OutputCapture
  #cause: KillCause | null = null
  #hasEnded = false

  constructor(options: CommandProcessOptions) {
    this.#options = options
    this.#capture = new OutputCapture(options.limits.outputBytes, options.onOutput)
    const { stdout, stderr, begun, controlsClosed } = options.started
    void begun.then(() => this.#passNamespace())
    const closed = Promise.all([
      stdout.read((chunk) => this.#keep('STDOUT', chunk)),
      stderr.read((chunk) => this.#keep('STDERR', chunk)),
      controlsClosed,
    ])
    this.result = this.#supervise(closed)
  }

  /** Ends the whole tree; `result` tells the first cause. No effect when the command has ended. */
  kill(cause: KillCause): void {
    if (this.#cause !== null || this.#hasEnded) return
    this.#cause = cause
    this.#killTree()
  }

  async #supervise(closed: Promise<unknown>): Promise<ProcessResult> {
    const { clock, timeoutMs, started } = this.#options
    const stopTimer = clock.after(timeoutMs, () => this.kill('timeout'))
    const exit = await started.exit
    stopTimer()
    this.#hasEnded = true
    await this.#endStragglers()
    const drain = new AbortController()
    await Promise.race([closed, clock.sleep(DRAIN_MS, drain.signal)])
    drain.abort()
    started.stdout.abandon()
    started.stderr.abandon()
    await this.#untilNamespaceEmpty()
    return this.#describe(exit)
  }

  #passNamespace(): void {
    const initPid = this.#options.started.namespace?.initPid ?? null
    if (initPid !== null && this.#cause === null && !this.#hasEnded) this.#options.onNamespace(initPid)
  }

  #describe(exit: Exit): ProcessResult {
    const { started } = this.#options
    const output = this.#capture.finish()
    if (this.#cause !== null) return { kind: 'killed', cause: this.#cause, ...output }
    if ('error' in exit) return { kind: 'not-started', reason: messageOf(exit.error) }
    const exitCode = exit.code ?? 128 + (exit.signal === null ? 0 : constants.signals[exit.signal])
    return started.hasRun()
      ? { kind: 'exited', exitCode, ...output }
      : { kind: 'not-started', reason: output.stderr.trim() || `${launchName(started)} ended with code ${exitCode}` }
  }

  #keep(stream: 'STDOUT' | 'STDERR', chunk: Buffer): void {
    this.#capture.write(stream, chunk)
    if (this.#capture.receivedBytes > this.#options.limits.outputFloodBytes) this.kill('output')
  }

  #killTree(): void {
    const { clock } = this.#options
    const { launch, pid, namespace } = this.#options.started
    if (pid === undefined) return
    if (launch.isolation === 'PROCESS_GROUP') return void killStragglers(pid, homeOf(launch))
    namespace?.kill()
    clock.after(DRAIN_MS, () => {
      if (!this.#hasEnded) killProcess(pid)
    })
  }

  async #endStragglers(): Promise<void> {
    const { launch, pid } = this.#options.started
    if (launch.isolation !== 'PROCESS_GROUP' || pid === undefined) return
    let killed: readonly number[] | null = null
    await this.#until(() => {
      killed ??= killStragglers(pid, homeOf(launch))
      return !killed.some(isRunning)
    })
  }

  /** The kernel ends the namespace with bwrap; that takes a moment when there was something left in it. */
  async #untilNamespaceEmpty(): Promise<void> {
    const initPid = this.#options.started.namespace?.initPid ?? null
    if (initPid !== null) await this.#until(() => isNamespaceEmpty(initPid))
  }

  /** Never rejects: the command has run, whatever can be found out of what it left. */
  async #until(hasGone: () => boolean): Promise<void> {
    const { clock, onProblem } = this.#options
    const deadlineMs = clock.monotonicMs() + DISAPPEAR_MS
    for (;;) {
      let problem = 'Processes of a command do not end although they were killed.'
      try {
        if (hasGone()) return
      } catch (error) {
        // There may be no file descriptor for it now, and soon one.
        problem = `Whether all processes of a command have ended is not known: ${messageOf(error)}.`
      }
      if (clock.monotonicMs() > deadlineMs) return onProblem(problem)
      await clock.sleep(1)
    }
  }
}

function launchName({ launch }: StartedLaunch): string {
  return launch.isolation === 'PROCESS_GROUP' ? 'the shell' : 'bubblewrap'
}

function homeOf({ environment }: Launch): string {
  return must(environment['HOME'], 'every launch has a HOME')
}

/**
 * A process may start another between the search and the kill, so this searches again; a program that only forks loses
 * this race.
 */
const MAX_ROUNDS = 20

/**
 * Ends what a command without a namespace of its own has started: its process group, its descendants, and processes
 * that were started with its HOME, which no other command has at that time. `pid` led the process group; `home` is that
 * HOME. Returns the processes that were found alive.
 */
function killStragglers(pid: number, home: string): readonly number[] {
  const killed = new Set<number>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    killProcess(-pid)
    const descendants = isRunning(pid) ? [pid, ...findDescendants(pid)] : []
    const found = [...descendants, ...findYoungerByEnvironment(pid, `HOME=${home}`)].filter(isRunning)
    if (found.length === 0) break
    for (const straggler of found) {
      killProcess(straggler)
      killed.add(straggler)
    }
  }
  return [...killed]
}
