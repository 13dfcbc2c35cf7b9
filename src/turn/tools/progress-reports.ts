/** How far a call is, at most four times a second: what comes between two reports is overwritten by what follows it. */
import type { Clock } from '../../platform/clock.ts'
import { toStorable } from '../../platform/well-formed.ts'
import type { ToolProgress } from '../../tools/tool.ts'

const PERIOD_MS = 250
const MAX_MESSAGE_CHARS = 500

/** Of one call. It must end, or its timer goes on. */
export class ProgressReports {
  readonly #clock: Clock
  readonly #report: (progress: ToolProgress) => void
  #waiting: ToolProgress | null = null
  #cancel: (() => void) | null = null
  #hasEnded = false

  constructor(clock: Clock, report: (progress: ToolProgress) => void) {
    this.#clock = clock
    this.#report = report
  }

  /** The first is reported at once; what is no number is left out, and so is what comes after the end. */
  add({ done, total, message }: ToolProgress): void {
    if (this.#hasEnded || !Number.isFinite(done)) return
    this.#waiting = {
      done,
      total: total !== null && Number.isFinite(total) ? total : null,
      message: message === null ? null : toStorable(message.slice(0, MAX_MESSAGE_CHARS)),
    }
    if (this.#cancel === null) this.#say()
  }

  /** What waits is dropped: the end of the task tells more. */
  end(): void {
    this.#hasEnded = true
    this.#cancel?.()
    this.#cancel = null
  }

  #say(): void {
    this.#cancel = null
    if (this.#waiting === null) return
    this.#report(this.#waiting)
    this.#waiting = null
    this.#cancel = this.#clock.after(PERIOD_MS, () => this.#say())
  }
}
