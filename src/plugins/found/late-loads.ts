/**
 * Plugins whose module was not loaded in time when it was asked what it is: the machine may have been busy. Each is
 * loaded again after growing pauses, as one that ends is started again.
 */
import { backoffMs, type BackoffPolicy } from '../../platform/waiting/backoff.ts'
import type { Clock } from '../../platform/clock.ts'
import { randomFraction } from '../../platform/random.ts'

/** Each load is a thread of its own, for as long as it may take. */
const PAUSES: BackoffPolicy = { firstMs: 10_000, maxMs: 300_000 }
const MANY = 5

/** Of one process. */
export class LateLoads {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #late = new Map<string, { readonly times: number; readonly dueMs: number }>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  /** How loading it went. `isLate` false: it was loaded, or cannot be, and is not loaded again. */
  took(name: string, { isLate }: { readonly isLate: boolean }): void {
    const times = this.#late.get(name)?.times ?? 0
    if (!isLate) this.#late.delete(name)
    else
      this.#late.set(name, {
        times: times + 1,
        dueMs: this.#clock.monotonicMs() + backoffMs(PAUSES, times, randomFraction()),
      })
  }

  /** It is to be loaded again now. */
  isDue(name: string): boolean {
    return this.#clock.monotonicMs() >= (this.#late.get(name)?.dueMs ?? Infinity)
  }

  /** How one that is wanted does; null: it was not late. */
  statusOf(name: string): 'STARTING' | 'DEGRADED' | null {
    const late = this.#late.get(name)
    if (late === undefined) return null
    return late.times < MANY ? 'STARTING' : 'DEGRADED'
  }
}
