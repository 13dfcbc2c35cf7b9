/**
 * The namespaces that are kept for ADMIN's commands (`kept-namespace.ts`). Made by `host-runner.ts` when a command has
 * ended, not while it waits; as many as commands have run at once, up to a few.
 *
 * What must hold: one command at a time in each; none is older than a minute when a command begins, so that an idle
 * server keeps no idle processes and what is mounted meanwhile is not missed for long; nothing is given away after
 * `close`.
 */
import { messageOf } from '../../core/errors.ts'
import type { AdminCommand } from '../sandbox/admin-launch.ts'
import { KeptNamespace } from './kept-namespace.ts'
import type { LaunchMeans, StartedLaunch } from '../sandbox/start-launch.ts'

interface NamespacePoolOptions extends LaunchMeans {
  /** For the log. */
  readonly onProblem: (message: string) => void
}

const MAX_AGE_MS = 60_000
const MAX_COUNT = 4
/** A waiting shell reads its command byte by byte; for a longer one a new launch is faster. */
const MAX_COMMAND_CHARS = 4_096

/**
 * Keeps up to four namespaces. Whatever it cannot serve starts in a namespace of its own instead, so a failure here
 * costs time alone.
 */
export class NamespacePool {
  readonly #options: NamespacePoolOptions
  /** Given away last in, first out: what is not needed grows old. */
  readonly #free: KeptNamespace[] = []
  /** Young and alive, free or not. */
  readonly #kept = new Set<KeptNamespace>()
  readonly #ending = new Set<Promise<void>>()
  /** A command has found none free. */
  #isShort = false
  #isClosed = false

  constructor(options: NamespacePoolOptions) {
    this.#options = options
  }

  /** Makes one more if none is free or one was missed. */
  prepare(bubblewrap: string): void {
    const isWanted = this.#isShort || this.#free.length === 0
    if (!isWanted || this.#isClosed || this.#kept.size >= MAX_COUNT) return
    this.#isShort = false
    try {
      this.#add(new KeptNamespace(bubblewrap, this.#options.mark))
    } catch (error) {
      this.#options.onProblem(`No namespace could be prepared for the next command: ${messageOf(error)}`)
    }
  }

  /** Starts the command in one that is free; null when there is none or the command is not for it. */
  async begin(command: AdminCommand): Promise<StartedLaunch | null> {
    if (command.command.length > MAX_COMMAND_CHARS) return null
    const namespace = this.#free.pop()
    this.#isShort ||= namespace === undefined
    if (namespace === undefined) return null
    try {
      const started = namespace.begin(command, await this.#options.pipes.takePair())
      void started.exit.then((exit) => {
        if (exit.isNamespaceKept) this.#takeBack(namespace)
        else this.#kept.delete(namespace)
      })
      return started
    } catch (error) {
      this.#takeBack(namespace)
      throw error
    }
  }

  /** Ends what is free; resolves when it has ended. Commands must have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const namespace of this.#kept) this.#retire(namespace)
    await Promise.all(this.#ending)
  }

  #add(namespace: KeptNamespace): void {
    this.#kept.add(namespace)
    this.#free.push(namespace)
    const cancelExpiry = this.#options.clock.after(MAX_AGE_MS, () => this.#retire(namespace))
    void namespace.ended.then(() => {
      cancelExpiry()
      if (!this.#retire(namespace)) return
      this.#options.onProblem("A namespace that was prepared for an admin's command has ended before there was one.")
    })
  }

  #takeBack(namespace: KeptNamespace): void {
    if (this.#kept.has(namespace)) this.#free.push(namespace)
    else this.#end(namespace)
  }

  /** It is not given away any more, and ends as soon as no command runs in it. Returns whether it was free. */
  #retire(namespace: KeptNamespace): boolean {
    this.#kept.delete(namespace)
    const place = this.#free.indexOf(namespace)
    if (place < 0) return false
    this.#free.splice(place, 1)
    this.#end(namespace)
    return true
  }

  #end(namespace: KeptNamespace): void {
    const ended = namespace.end().finally(() => this.#ending.delete(ended))
    this.#ending.add(ended)
  }
}
