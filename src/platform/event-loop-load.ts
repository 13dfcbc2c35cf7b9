/**
 * Whether this process's event loop has all it can do. It counts as busy also while the operating system runs other
 * processes in its place: either way, what comes now waits.
 */
import { performance } from 'node:perf_hooks'

/** Longer, and a burst is noticed late; shorter, and one long task looks like a burst. */
const WINDOW_MS = 50
const BUSY_SHARE = 0.95

/** Measures only when it is asked. After a pause, the first answer is about the whole pause. */
export class EventLoopLoad {
  #measured = performance.eventLoopUtilization()
  #measuredAtMs = performance.now()
  #isBusy = false

  get isBusy(): boolean {
    const nowMs = performance.now()
    if (nowMs - this.#measuredAtMs < WINDOW_MS) return this.#isBusy
    const total = performance.eventLoopUtilization()
    this.#isBusy = performance.eventLoopUtilization(total, this.#measured).utilization >= BUSY_SHARE
    this.#measured = total
    this.#measuredAtMs = nowMs
    return this.#isBusy
  }
}
