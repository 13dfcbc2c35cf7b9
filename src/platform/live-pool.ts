/**
 * Things that are kept in memory between uses, by name: at most so many, and none that was idle for too long. The one
 * that was used longest ago goes first; one that is in use never does, so more than `max` may be there for a while.
 */
import type { Clock } from './clock.ts'

export interface LivePoolOptions<Value> {
  /** Read at each change; 0: nothing is kept. */
  readonly max: () => number
  /** For how long one is kept without being used. */
  readonly idleMs: () => number
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>
  /** Called with each that goes; must not throw. */
  readonly onEvicted: (value: Value) => void
}

interface Idle<Value> {
  readonly value: Value
  readonly sinceMs: number
}

export class LivePool<Value> {
  readonly #options: LivePoolOptions<Value>
  readonly #used = new Map<string, Value>()
  /** The one that was used longest ago first. */
  readonly #idle = new Map<string, Idle<Value>>()
  #cancelSweep: (() => void) | null = null

  constructor(options: LivePoolOptions<Value>) {
    this.#options = options
  }

  /** How many there are, in use or not. */
  get size(): number {
    return this.#used.size + this.#idle.size
  }

  /** The one of this name, if it is not in use; that it was read does not count as a use. */
  peek(name: string): Value | null {
    this.#sweep()
    return this.#idle.get(name)?.value ?? null
  }

  /** The same, and it is in use until it is given back. Null: there is none, and the name has one once it is given. */
  take(name: string): Value | null {
    const value = this.peek(name)
    if (value === null) return null
    this.#idle.delete(name)
    this.#used.set(name, value)
    return value
  }

  /** One that was in use, or is new; another one of the name goes. */
  give(name: string, value: Value): void {
    const before = this.#used.get(name) ?? this.#idle.get(name)?.value
    this.#used.delete(name)
    this.#idle.delete(name)
    if (before !== undefined && before !== value) this.#options.onEvicted(before)
    this.#idle.set(name, { value, sinceMs: this.#options.clock.monotonicMs() })
    this.#sweep()
  }

  /** The one of this name goes, in use or not. */
  drop(name: string): void {
    const value = this.#used.get(name) ?? this.#idle.get(name)?.value
    this.#used.delete(name)
    this.#idle.delete(name)
    if (value !== undefined) this.#options.onEvicted(value)
  }

  /** All go. */
  clear(): void {
    for (const name of [...this.#used.keys(), ...this.#idle.keys()]) this.drop(name)
    this.#cancelSweep?.()
    this.#cancelSweep = null
  }

  #sweep(): void {
    const { max, idleMs, clock, onEvicted } = this.#options
    const nowMs = clock.monotonicMs()
    for (const [name, { value, sinceMs }] of this.#idle) {
      if (this.size <= max() && nowMs - sinceMs < idleMs()) break
      this.#idle.delete(name)
      onEvicted(value)
    }
    this.#cancelSweep?.()
    const [oldest] = this.#idle.values()
    this.#cancelSweep =
      oldest === undefined ? null : clock.after(Math.max(1, oldest.sinceMs + idleMs() - nowMs), () => this.#sweep())
  }
}
