/**
 * A launch that stands at its gate: its process is there, and nothing of a command is. It is told one command, which it
 * runs, or it is ended; nothing else ever becomes of it, so what a command has left in it need not be found. A
 * command that finds none is told to a new one, by the same way.
 *
 * What must hold:
 * - A command begins only when the launch is tied to this process, and it is never reported as not started when it may
 *   have run: that is when its shell has said that it begins.
 * - Before its order, a launch knows nothing of any command: no line, no secret, no output of another one.
 */
import type { Clock } from '../../platform/clock.ts'
import { must } from '../../platform/must.ts'
import type { OutputPipe } from '../output/output-pipes.ts'
import { killProcess } from '../process/process-tree.ts'
import { BEGINS, WAITS, writeOrder, type Launch, type Order } from '../sandbox/launch.ts'
import {
  spawnLaunch,
  untilBound,
  untilClosed,
  type LaunchMeans,
  type SpawnedLaunch,
  type StartedLaunch,
} from '../sandbox/start-launch.ts'

type PipePair = readonly [stdout: OutputPipe, stderr: OutputPipe]

/** A process that does not end when its namespace is ended. */
const KILL_AGAIN_MS = 1_000

/** Owned by who has it: `begin` once, or `end`. */
export class PreparedLaunch {
  readonly #launch: Launch
  readonly #spawned: SpawnedLaunch
  readonly #output: PipePair
  readonly #clock: Clock
  readonly #begun = Promise.withResolvers<void>()
  #hasBegun = false
  /** Tied to this process. Before, an order would be carried out also when this one had died meanwhile. */
  #isBound = false
  /** Not sent yet. */
  #order = ''
  #mayBegin: () => boolean = () => true
  /** The beginning of a line. */
  #said = ''

  /** Rejects when there are no pipes or no process to be had at once (no memory); what goes wrong later is its end. */
  static async start(launch: Launch, means: LaunchMeans): Promise<PreparedLaunch> {
    return new PreparedLaunch(launch, means, await means.pipes.takePair())
  }

  private constructor(launch: Launch, { mark, clock }: LaunchMeans, output: PipePair) {
    const [stdout, stderr] = output
    this.#launch = launch
    this.#output = output
    this.#clock = clock
    try {
      this.#spawned = spawnLaunch(launch, { mark, output: [stdout.writeFd, stderr.writeFd] })
      this.#spawned.ready?.on('data', (chunk: Buffer) => this.#read(chunk.toString()))
    } catch (error) {
      for (const pipe of output) pipe.abandon()
      throw error
    } finally {
      for (const pipe of output) pipe.closeWriteEnd()
    }
  }

  /** Resolves when its process has ended, or could not be started. */
  async ended(): Promise<void> {
    await this.#spawned.exit
  }

  /** Tells it its command, as soon as it may know; it ends without when `mayBegin` says no in that moment. */
  begin(order: Order, mayBegin = this.#mayBegin): StartedLaunch {
    const { pid, exit, namespace, ready } = this.#spawned
    const [stdout, stderr] = this.#output
    this.#order = writeOrder(order)
    this.#mayBegin = mayBegin
    if (this.#isBound) this.#sendOrder()
    return {
      launch: this.#launch,
      pid,
      exit,
      namespace,
      stdout,
      stderr,
      begun: this.#begun.promise,
      hasRun: () => this.#hasBegun,
      controlsClosed: Promise.all([namespace?.closed, untilClosed(ready)]),
    }
  }

  /** Without a command. Resolves when nothing of it is left, and its pipes may be used again. */
  async end(): Promise<void> {
    const { pid, exit, namespace, ready } = this.#spawned
    ready?.end()
    namespace?.kill()
    const cancelKill = this.#clock.after(KILL_AGAIN_MS, () => pid !== undefined && killProcess(pid))
    await exit
    cancelKill()
    await Promise.all(this.#output.map((pipe) => pipe.read(() => {})))
  }

  #read(text: string): void {
    const lines = (this.#said + text).split('\n')
    this.#said = must(lines.pop(), 'there is always a last piece')
    for (const line of lines) {
      if (line === WAITS) void untilBound(this.#spawned, this.#clock).then((isBound) => this.#passGate(isBound))
      if (line !== BEGINS) continue
      this.#hasBegun = true
      this.#begun.resolve()
    }
  }

  #passGate(isBound: boolean): void {
    this.#isBound = isBound
    if (!isBound) this.#spawned.ready?.end()
    else if (this.#order !== '') this.#sendOrder()
  }

  #sendOrder(): void {
    if (this.#mayBegin()) this.#spawned.ready?.end(this.#order)
    else this.#spawned.ready?.end()
    this.#order = ''
  }
}
