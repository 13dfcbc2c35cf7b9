import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LivePool } from './live-pool.ts'

const IDLE_MS = 100
/** Its timers fire as it is advanced. */
class SteppedClock {
  #nowMs = 0
  #timers: { readonly atMs: number; readonly action: () => void }[] = []

  monotonicMs = (): number => this.#nowMs

  after = (ms: number, action: () => void): (() => void) => {
    const timer = { atMs: this.#nowMs + ms, action }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }

  advance(ms: number): void {
    this.#nowMs += ms
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs)
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs)
    for (const { action } of due) action()
  }
}

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const

type Step =
  | { readonly kind: 'take' | 'give' | 'drop'; readonly name: (typeof NAMES)[number] }
  | { readonly kind: 'wait'; readonly ms: number }

const name = fc.constantFrom(...NAMES)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('take', 'give', 'drop'), name }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 70 }) }),
)

/** What must be there, by the simplest rules that say so. */
class Model {
  readonly idle: { name: string; sinceMs: number }[] = []
  readonly used = new Set<string>()
  nowMs = 0
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  apply(step: Step): void {
    if (step.kind === 'wait') this.nowMs += step.ms
    this.#age()
    if (step.kind === 'wait') return
    const isIdle = this.idle.some((one) => one.name === step.name)
    if (step.kind === 'take' && isIdle) this.used.add(step.name)
    if (step.kind === 'take' && !isIdle) return
    this.#forget(step.name)
    if (step.kind === 'take') return
    this.used.delete(step.name)
    if (step.kind === 'give') this.idle.push({ name: step.name, sinceMs: this.nowMs })
    this.#age()
  }

  #forget(name: string): void {
    const at = this.idle.findIndex((one) => one.name === name)
    if (at >= 0) this.idle.splice(at, 1)
  }

  #age(): void {
    while (
      this.idle.length > 0 &&
      (this.idle.length + this.used.size > this.#max || this.nowMs - (this.idle[0]?.sinceMs ?? 0) >= IDLE_MS)
    )
      this.idle.shift()
  }
}

test('what was used longest ago goes first, what is in use never, and each goes once', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3 }), fc.array(step, { maxLength: 40 }), (max, steps) => {
      const clock = new SteppedClock()
      const gone: object[] = []
      const given: object[] = []
      const pool = new LivePool<object>({
        max: () => max,
        idleMs: () => IDLE_MS,
        clock,
        onEvicted: (one) => gone.push(one),
      })
      const model = new Model(max)
      for (const one of steps) {
        if (one.kind === 'wait') clock.advance(one.ms)
        else if (one.kind === 'take') pool.take(one.name)
        else if (one.kind === 'drop') pool.drop(one.name)
        else {
          const value = {}
          given.push(value)
          pool.give(one.name, value)
        }
        model.apply(one)
        expect(NAMES.filter((name) => pool.peek(name) !== null)).toEqual(
          NAMES.filter((name) => model.idle.some((idle) => idle.name === name)),
        )
        expect(pool.size).toBe(model.idle.length + model.used.size)
      }
      pool.clear()
      expect(new Set(gone)).toEqual(new Set(given))
      expect(gone).toHaveLength(given.length)
    }),
  )
})

test('one that is not asked for goes when its time is over', () => {
  const clock = new SteppedClock()
  const gone: string[] = []
  const pool = new LivePool<string>({ max: () => 5, idleMs: () => IDLE_MS, clock, onEvicted: (one) => gone.push(one) })
  pool.give('a', 'first')
  clock.advance(IDLE_MS - 1)
  expect(gone).toEqual([])
  clock.advance(1)
  expect(gone).toEqual(['first'])
})
