/**
 * One command host (see `command-host-main.ts`) as its server sees it, from its start to its end. `command-host.ts`
 * keeps one and replaces it.
 *
 * What must hold: every request is answered or rejected in a time that is known when it is made, also when the host
 * hangs; and when requests are rejected because the host is lost, nothing that it ran is running any more (as far as
 * the kernel can end it).
 */
import { fork, type ChildProcess } from 'node:child_process'
import { AppError, messageOf } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { CODE_CACHE } from '../../platform/code-cache.ts'
import { programFile } from '../../platform/package-file.ts'
import { endProcesses, isSameStillRunning } from '../process/end-processes.ts'
import type { HostDeadlines } from './host-deadlines.ts'
import type { CommandPlace, HostAnswer, HostRequest, HostSettings } from './host-messages.ts'
import type { OnOutput } from '../output/output-capture.ts'
import { findMarked, markOf, newTag, type OwnerMark } from '../process/owner-mark.ts'
import { findDescendants, readProcess, type ProcessEntry } from '../process/process-tree.ts'

/** How to start a host, and how long to wait for it. */
export interface HostProcessOptions {
  readonly settings: HostSettings
  readonly deadlines: HostDeadlines
  readonly clock: Clock
  /** For the log. */
  readonly onProblem: (message: string) => void
  /** Must not throw. */
  readonly onMeasured: (measured: { readonly sessionId: string; readonly bytes: number }) => void
}

type FinalAnswer = Exclude<HostAnswer, { type: 'OUTPUT' | 'PROBLEM' | 'MEASURED' | 'PONG' }>
type Request = Exclude<HostRequest, { type: 'PING' | 'ALLOW' | 'CANCEL' | 'PREPARE' }>

interface OpenRequest {
  readonly type: Request['type']
  readonly onOutput: OnOutput
  readonly resolve: (answer: FinalAnswer) => void
  readonly reject: (error: AppError) => void
  cancelDeadline: () => void
}

interface AskOptions {
  readonly limitMs: number
  /** Must not throw. */
  readonly onOutput?: OnOutput
}

const MAIN = programFile('execution/host/command-host-main')
/** It handles a few megabytes at a time; a small heap keeps its processes quick to start. */
const NODE_FLAGS = ['--max-semi-space-size=2', '--max-old-space-size=256']

/**
 * Starts its host when it is constructed. One that `isEnding` is of no more use: a new one must be made, after `lost`
 * has resolved.
 */
export class HostProcess {
  /** Resolves with the reason when the host and all that it ran are gone, or could not be ended; never rejects. */
  readonly lost: Promise<string>
  readonly #options: HostProcessOptions
  readonly #child: ChildProcess
  /** Null where there is no /proc, and when it did not start. */
  readonly #entry: ProcessEntry | null
  /** What it starts carries this. */
  readonly #mark: OwnerMark
  /** What it has only just forked shows this, as the host itself does. */
  readonly #tag = newTag()
  readonly #exited = Promise.withResolvers<void>()
  readonly #losing = Promise.withResolvers<string>()
  readonly #open = new Map<number, OpenRequest>()
  #isEnding = false
  #isStopping = false
  #hasAnswered = false
  #isPongDue = false
  #missedPings = 0
  #cancelPing: () => void = () => {}

  /** Throws when there is no process to be had at once. */
  constructor(options: HostProcessOptions) {
    this.#options = options
    this.#child = fork(MAIN, [JSON.stringify(options.settings)], {
      execArgv: NODE_FLAGS,
      // The compiler would stay in its memory, and make every start of a process twice as slow.
      env: { NODE_COMPILE_CACHE: CODE_CACHE, ...markOf(options.settings.home, process.pid), ...this.#tag },
      detached: true, // a Ctrl-C at the terminal must not reach it before the server has drained
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // JSON makes six of each control character, and of what a command prints there is as much as it likes.
      serialization: 'advanced',
    })
    const { pid = 0 } = this.#child
    this.#entry = readProcess(pid)
    this.#mark = markOf(options.settings.home, pid)
    this.#child.on('message', (answer: HostAnswer) => this.#receive(answer))
    this.#child.on('error', (error) => this.#hasExited(messageOf(error)))
    this.#child.once('exit', (code, signal) => this.#hasExited(`it ended with ${signal ?? `code ${code}`}`))
    this.lost = this.#losing.promise.then((reason) => this.#end(reason))
    this.#ping()
  }

  /** It takes no more requests: it is being ended, or has ended. */
  get isEnding(): boolean {
    return this.#isEnding
  }

  /** It has not answered for a while. */
  get isSilent(): boolean {
    return this.#missedPings >= this.#options.deadlines.silentPings
  }

  /**
   * Rejects with COMMAND_NOT_STARTED or WORKSPACE_UNUSABLE when the host has done nothing of it, with
   * COMMAND_LOST when it is unknown what the host has done.
   */
  ask(request: Request, { limitMs, onOutput = () => {} }: AskOptions): Promise<FinalAnswer> {
    const { id, type } = request
    return new Promise((resolve, reject) => {
      if (this.#isEnding) return reject(notStarted('The command host has just ended.'))
      const cancelDeadline = this.#deadline(type, limitMs)
      this.#open.set(id, { type, onOutput, resolve, reject, cancelDeadline })
      this.#child.send(request, (error) => {
        if (error === null) return
        this.#lose('it takes no requests any more')
        this.#take(id)?.reject(notStarted('The command host is gone.', error))
      })
    })
  }

  /** Commands may run until then, in the machine's time. */
  allow(untilMs: number): void {
    this.#send({ type: 'ALLOW', untilMs })
  }

  /** A command may come soon. */
  prepare({ sessionId, isConfined }: CommandPlace): void {
    this.#send({ type: 'PREPARE', sessionId, isConfined })
  }

  /** Ends the command that was asked for under this id: it gets its answer soon, whatever the host does. */
  cancel(id: number): void {
    const request = this.#open.get(id)
    if (request === undefined) return
    request.cancelDeadline()
    request.cancelDeadline = this.#deadline('CANCEL', this.#options.deadlines.cancelMs)
    this.#send({ type: 'CANCEL', id })
  }

  /** Lets the host end, and whatever still runs with it. Resolves when it is gone. */
  async stop(): Promise<void> {
    const { clock, deadlines } = this.#options
    this.#isStopping = true
    this.#cancelPing()
    if (this.#child.connected) this.#child.disconnect()
    const cancelKill = clock.after(deadlines.stopMs, () => this.#lose('it did not stop'))
    await this.lost
    cancelKill()
  }

  #deadline(what: HostRequest['type'], limitMs: number): () => void {
    const reason = `it has not answered to ${what} within ${limitMs / 1000} s`
    return this.#options.clock.after(limitMs, () => this.#lose(reason))
  }

  /**
   * Counted, not timed: when this process itself stood still, one question has gone unanswered, however long that was.
   * While the host starts, the deadline of its first request stands for this.
   */
  #ping(): void {
    const { clock, deadlines } = this.#options
    const { pingEveryMs, maxMissedPings } = deadlines
    if (this.#isPongDue && this.#hasAnswered) this.#missedPings += 1
    if (this.#missedPings >= maxMissedPings)
      return this.#lose(`it has not answered for ${(maxMissedPings * pingEveryMs) / 1000} s`)
    this.#isPongDue = true
    this.#send({ type: 'PING', id: 0 })
    this.#cancelPing = clock.after(pingEveryMs, () => this.#ping())
  }

  /** A host that is gone tells by its exit. */
  #send(request: HostRequest): void {
    this.#child.send(request, () => {})
  }

  #receive(answer: HostAnswer): void {
    this.#hasAnswered = true
    this.#isPongDue = false
    this.#missedPings = 0
    if (answer.type === 'PONG') return
    if (answer.type === 'PROBLEM') return this.#options.onProblem(answer.message)
    if (answer.type === 'MEASURED') return this.#options.onMeasured(answer)
    if (answer.type === 'OUTPUT') return this.#passOutput(answer)
    const request = this.#take(answer.id)
    if (answer.type === 'FAILED') request?.reject(failureOf(answer))
    else request?.resolve(answer)
  }

  #passOutput({ id, pieces }: Extract<HostAnswer, { type: 'OUTPUT' }>): void {
    const request = this.#open.get(id)
    for (const [stream, text] of pieces) request?.onOutput(stream, text)
  }

  #take(id: number): OpenRequest | undefined {
    const request = this.#open.get(id)
    this.#open.delete(id)
    request?.cancelDeadline()
    return request
  }

  #hasExited(reason: string): void {
    this.#exited.resolve()
    this.#lose(reason)
  }

  /** The first reason counts. */
  #lose(reason: string): void {
    this.#isEnding = true
    this.#cancelPing()
    this.#losing.resolve(reason)
  }

  async #end(reason: string): Promise<string> {
    const { clock, onProblem } = this.#options
    if (this.#open.size > 0 || !this.#isStopping) onProblem(`The command host is lost: ${reason}.`)
    const isGone = await this.#killAll()
    if (!isGone) onProblem('Processes of the lost command host do not end although they were killed.')
    const given = new AbortController()
    await Promise.race([this.#exited.promise, clock.sleep(isGone ? 1_000 : 0, given.signal)])
    given.abort()
    for (const [id, { type }] of this.#open) this.#take(id)?.reject(lostWith(type, reason))
    return reason
  }

  /**
   * A host that stands still has children that run on; they are searched for while it is still their parent.
   */
  #killAll(): Promise<boolean> {
    const host = this.#entry
    const find = (): readonly ProcessEntry[] => {
      const isThere = host !== null && isSameStillRunning(host)
      const tree = isThere ? [host, ...findDescendants(host.pid).flatMap((pid) => readProcess(pid) ?? [])] : []
      return [...tree, ...findMarked(this.#mark, this.#tag)]
    }
    const ended = endProcesses(find, this.#options.clock)
    this.#child.kill('SIGKILL') // for where there is no /proc
    return ended
  }
}

function lostWith(type: Request['type'], reason: string): AppError {
  const consequence = type === 'RUN' ? '; what the command did is not known' : ''
  return new AppError('COMMAND_LOST', `The process that runs commands is lost (${reason})${consequence}.`)
}

function failureOf({ message, ofDisk }: Extract<HostAnswer, { type: 'FAILED' }>): AppError {
  return ofDisk ? new AppError('WORKSPACE_UNUSABLE', message, { retry: 'backoff' }) : notStarted(message)
}

function notStarted(message: string, cause?: unknown): AppError {
  return new AppError('COMMAND_NOT_STARTED', message, { retry: 'backoff', cause })
}

/**
 * For an answer of another type than the request has: a bug of the host. Throws COMMAND_LOST, since what the host did
 * is not known.
 */
export function unexpected(answer: FinalAnswer): never {
  throw new AppError('COMMAND_LOST', `The command host gave an answer to another question: ${answer.type}.`)
}
