/**
 * Launches that were made ready before their command is known (`prepared-launch.ts`): to make a sandbox takes longer
 * than most commands. The host prepares one when a turn begins that may run commands, and when a command has ended.
 *
 * What must hold: each is given away once, to a command whose own launch would be the same in everything, its folder
 * included; one that has waited for a minute ends, so that an idle server keeps no idle processes and what is mounted
 * meanwhile is not missed for long; there are never more than a few; nothing is given away after `close`.
 */
import { messageOf } from '../../core/errors.ts'
import type { Launch } from '../sandbox/launch.ts'
import type { LaunchMeans } from '../sandbox/start-launch.ts'
import { PreparedLaunch } from './prepared-launch.ts'

interface PreparedLaunchesOptions extends LaunchMeans {
  /** For the log. */
  readonly onProblem: (message: string) => void
}

/** What a launch is for. */
export interface Purpose {
  readonly launch: Launch
  /** Which folder is found where the launch says: the path may be another one's by now. Empty: any. */
  readonly folder: string
  /** So many may wait for it. */
  readonly most: number
}

interface Waiting {
  readonly key: string
  readonly prepared: PreparedLaunch
  readonly sinceMs: number
  readonly cancelExpiry: () => void
}

const MAX_WAIT_MS = 60_000
/** Each is three processes and about 5 MB. */
const MAX_COUNT = 8
/** When there are so many, the oldest makes place, but not at once: then none would ever be used. */
const MIN_WAIT_MS = 5_000

/** Whatever it cannot serve starts in a launch of its own instead, so a failure here costs time alone. */
export class PreparedLaunches {
  readonly #options: PreparedLaunchesOptions
  /** Oldest first. */
  #waiting: readonly Waiting[] = []
  /** Keys of those that are being started. */
  readonly #starting: string[] = []
  readonly #work = new Set<Promise<void>>()
  #isClosed = false

  constructor(options: PreparedLaunchesOptions) {
    this.#options = options
  }

  /** Makes one more, in the background, if fewer than enough wait for this purpose and there is place for it. */
  prepare(purpose: Purpose): void {
    const key = keyOf(purpose)
    const same = [...this.#waiting.map((one) => one.key), ...this.#starting].filter((one) => one === key)
    if (this.#isClosed || same.length >= purpose.most || !this.#makePlace()) return
    this.#starting.push(key)
    this.#own(this.#start(key, purpose.launch))
  }

  /** The caller owns it. Null: there is none for this purpose. */
  take(purpose: Purpose): PreparedLaunch | null {
    const key = keyOf(purpose)
    // Last in, first out: what is not needed grows old.
    const found = this.#waiting.findLast((one) => one.key === key)
    if (found === undefined) return null
    this.#remove(found)
    return found.prepared
  }

  /** Ends what waits; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const one of this.#waiting) this.#retire(one)
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  #makePlace(): boolean {
    if (this.#waiting.length + this.#starting.length < MAX_COUNT) return true
    const [oldest] = this.#waiting
    if (oldest === undefined || this.#options.clock.monotonicMs() - oldest.sinceMs < MIN_WAIT_MS) return false
    this.#retire(oldest)
    return true
  }

  async #start(key: string, launch: Launch): Promise<void> {
    try {
      const prepared = await PreparedLaunch.start(launch, this.#options)
      if (this.#isClosed) await prepared.end()
      else this.#add(key, prepared)
    } catch (error) {
      this.#options.onProblem(`No sandbox could be prepared for the next command: ${messageOf(error)}`)
    } finally {
      this.#starting.splice(this.#starting.indexOf(key), 1)
    }
  }

  #add(key: string, prepared: PreparedLaunch): void {
    const { clock, onProblem } = this.#options
    const cancelExpiry = clock.after(MAX_WAIT_MS, () => this.#retire(added))
    const added: Waiting = { key, prepared, sinceMs: clock.monotonicMs(), cancelExpiry }
    this.#waiting = [...this.#waiting, added]
    void prepared.ended().then(() => {
      if (!this.#retire(added)) return
      onProblem('A sandbox that was prepared for a command has ended before there was one.')
    })
  }

  /** Returns whether it was still waiting. */
  #retire(one: Waiting): boolean {
    if (!this.#remove(one)) return false
    this.#own(one.prepared.end())
    return true
  }

  #remove(one: Waiting): boolean {
    one.cancelExpiry()
    const isWaiting = this.#waiting.includes(one)
    this.#waiting = this.#waiting.filter((other) => other !== one)
    return isWaiting
  }

  #own(work: Promise<void>): void {
    this.#work.add(work)
    void work.finally(() => this.#work.delete(work))
  }
}

function keyOf({ launch, folder }: Purpose): string {
  return JSON.stringify([folder, launch])
}
