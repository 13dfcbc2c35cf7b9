/**
 * How much work goes on at once behind the door, so that the pool of database connections is never what operations
 * queue for. What comes on top waits, for a while and up to a bound; beyond that it is refused before any of it has
 * happened. What brings something in (mutations) goes before what reads, and takes its place when the line is full.
 */
import type { Clock } from '../../platform/clock.ts'

/**
 * Operations that run at once: enough to keep every connection of the pool (src/app.ts) busy while others are
 * serialised.
 */
const AT_ONCE = 24
const MAX_WAITING = 2000
/** Of what waits, about: what clients sent along. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024
const MAX_WAIT_MS = 3000
/**
 * An operation that takes longer waits for something else than connections (a name server, say), and keeps others out
 * no more.
 */
const HOLD_MS = 1000

export interface Work {
  readonly kind: 'intake' | 'read'
  /** How much is kept in memory while it waits. */
  readonly bytes: number
}

interface Waiting extends Work {
  readonly settle: (isAdmitted: boolean) => void
}

export class Admission {
  readonly #clock: Pick<Clock, 'after'>
  /** First come, first served. */
  readonly #lines = { intake: new Set<Waiting>(), read: new Set<Waiting>() }
  #running = 0
  #waitingBytes = 0

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock
  }

  /** Operations that wait. */
  get waiting(): number {
    return this.#lines.intake.size + this.#lines.read.size
  }

  /** The queue is full, by intake operations or by bytes: new operations are refused before they are parsed. */
  get isFull(): boolean {
    return this.#lines.intake.size >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES
  }

  /** Runs `run` when a slot is free. Null: refused, or not admitted in time; `run` was not called. */
  async through<Result>(work: Work, run: () => Result | Promise<Result>): Promise<Result | null> {
    if (!(await this.#enter(work))) return null
    let isCounted = true
    const leave = (): void => {
      if (!isCounted) return
      isCounted = false
      this.#running -= 1
      this.#admitNext()
    }
    const cancelHold = this.#clock.after(HOLD_MS, leave)
    try {
      return await run()
    } finally {
      cancelHold()
      leave()
    }
  }

  #enter(work: Work): Promise<boolean> {
    if (this.#running < AT_ONCE) {
      this.#running += 1
      return Promise.resolve(true)
    }
    if (!this.#hasCapacityFor(work)) return Promise.resolve(false)
    return new Promise((resolve) => {
      const line = this.#lines[work.kind]
      const cancelWait = this.#clock.after(MAX_WAIT_MS, () => waiting.settle(false))
      const waiting: Waiting = {
        ...work,
        settle: (isAdmitted) => {
          cancelWait()
          line.delete(waiting)
          this.#waitingBytes -= work.bytes
          resolve(isAdmitted)
        },
      }
      line.add(waiting)
      this.#waitingBytes += work.bytes
    })
  }

  /** For intake, at the cost of reads that wait. */
  #hasCapacityFor({ kind, bytes }: Work): boolean {
    const isFull = (): boolean => this.waiting >= MAX_WAITING || this.#waitingBytes + bytes > MAX_WAITING_BYTES
    if (kind === 'intake') for (const read of this.#lines.read) if (isFull()) read.settle(false)
    return !isFull()
  }

  #admitNext(): void {
    const [next] = this.#lines.intake.size > 0 ? this.#lines.intake : this.#lines.read
    if (next === undefined || this.#running >= AT_ONCE) return
    this.#running += 1
    next.settle(true)
  }
}
