import { setImmediate as soon } from 'node:timers'
import { setImmediate as whenIdle } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Clock } from '../platform/clock.ts'
import { chainThrough, firstToWin, notifyAll, type HookReport, type HookTarget, type RunOptions } from './runners.ts'

/** How a plugin of the model behaves. LATE answers after its time is over; HANGS never does. */
type Behaviour = { readonly kind: 'ADDS' | 'SILENT' | 'THROWS' | 'NONSENSE' | 'LATE' | 'HANGS'; readonly value: number }

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  kind: fc.constantFrom('ADDS', 'SILENT', 'THROWS', 'NONSENSE', 'LATE', 'HANGS'),
  value: fc.integer({ min: 0, max: 9 }),
})
const behaviours = fc.array(behaviour, { maxLength: 8 })

const OUTCOMES = { ADDS: 'OK', SILENT: 'OK', THROWS: 'THREW', NONSENSE: 'WRONG', LATE: 'LATE', HANGS: 'LATE' } as const
const numbers = z.array(z.number()).nullable()

/** Plugins that behave so, with what they saw and how they were reported; `settle` lets late ones answer. */
class World {
  readonly calls: { readonly name: string; readonly data: unknown }[] = []
  readonly reports: HookReport[] = []
  readonly signals = new Map<string, AbortSignal>()
  readonly #late: (() => void)[] = []
  #running = 0
  /** A plugin was called while another one still had its time. */
  overlapped = false

  /** Timers fire once all that is ready has run: what has not answered by then is late. */
  readonly #clock: Clock = {
    now: () => new Date(0),
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    after: (_ms, action) => {
      const timer = soon(action)
      return () => clearImmediate(timer)
    },
  }

  targets(all: readonly Behaviour[]): readonly HookTarget<readonly number[]>[] {
    return all.map((behaviour, index) => ({
      name: `p${index}`,
      call: async (data, signal) => {
        this.overlapped ||= this.#running > 0
        this.#running += 1
        this.calls.push({ name: `p${index}`, data })
        this.signals.set(`p${index}`, signal)
        try {
          return await this.#behave(behaviour, data, signal)
        } finally {
          if (!signal.aborted) this.#running -= 1
        }
      },
    }))
  }

  options(signal = new AbortController().signal): RunOptions {
    return { budgetMs: 5, clock: this.#clock, signal, onReport: (report) => this.reports.push(report) }
  }

  settleLate(): Promise<void> {
    for (const answer of this.#late.splice(0)) answer()
    return whenIdle()
  }

  #behave({ kind, value }: Behaviour, data: readonly number[], signal: AbortSignal): unknown {
    if (kind === 'THROWS') throw new Error('out of order')
    if (kind === 'NONSENSE') return 'nonsense'
    if (kind === 'SILENT') return undefined
    if (kind === 'ADDS') return [...data, value]
    signal.addEventListener('abort', () => (this.#running -= 1))
    if (kind === 'HANGS') return new Promise(() => {})
    return new Promise((resolve) => this.#late.push(() => resolve([...data, 1000])))
  }
}

const names = (all: readonly Behaviour[]): string[] => all.map((_, index) => `p${index}`)

describe('the runners behave as their model', () => {
  test('notify: all in order, one after another; failures and late answers change nothing', () =>
    fc.assert(
      fc.asyncProperty(behaviours, async (all) => {
        const world = new World()
        const answers = await notifyAll(world.targets(all), { data: [7], answer: numbers }, world.options())
        const settled = structuredClone(answers)
        await world.settleLate()
        expect(answers).toEqual(settled)
        expect(world.calls.map(({ name }) => name)).toEqual(names(all))
        expect(world.calls.every(({ data }) => JSON.stringify(data) === '[7]')).toBe(true)
        expect(world.overlapped).toBe(false)
        expect(world.reports.map(({ outcome }) => outcome)).toEqual(all.map(({ kind }) => OUTCOMES[kind]))
        for (const [index, { kind }] of all.entries()) {
          expect(world.signals.get(`p${index}`)?.aborted).toBe(OUTCOMES[kind] === 'LATE')
        }
        const adding = all.flatMap(({ kind, value }, index) =>
          kind === 'ADDS' ? [{ plugin: `p${index}`, answer: [7, value] }] : [],
        )
        expect(answers).toEqual(adding)
      }),
    ))

  test('chain: each gets what the last that worked left', () =>
    fc.assert(
      fc.asyncProperty(behaviours, async (all) => {
        const world = new World()
        const next = (_before: readonly number[], answer: readonly number[]): readonly number[] => answer
        const chain = { value: [] as readonly number[], answer: numbers, next }
        const result = await chainThrough(world.targets(all), chain, world.options())
        await world.settleLate()
        const value: number[] = []
        for (const [index, behaviour] of all.entries()) {
          expect(world.calls[index]).toEqual({ name: `p${index}`, data: [...value] })
          if (behaviour.kind === 'ADDS') value.push(behaviour.value)
        }
        expect(result).toEqual(value)
      }),
    ))

  test('first wins: none is called after the first that wins', () =>
    fc.assert(
      fc.asyncProperty(behaviours, async (all) => {
        const world = new World()
        const wins = (answer: readonly number[]): boolean => (answer[1] ?? 0) > 5
        const won = await firstToWin(world.targets(all), { data: [7], answer: numbers, wins }, world.options())
        await world.settleLate()
        const first = all.findIndex(({ kind, value }) => kind === 'ADDS' && value > 5)
        expect(world.calls.map(({ name }) => name)).toEqual(first === -1 ? names(all) : names(all.slice(0, first + 1)))
        expect(won).toEqual(first === -1 ? null : { plugin: `p${first}`, answer: [7, all[first]?.value] })
      }),
    ))

  test('when the caller gives up nothing more is called', async () => {
    const world = new World()
    const turn = new AbortController()
    const [hangs, adds] = world.targets([
      { kind: 'HANGS', value: 0 },
      { kind: 'ADDS', value: 1 },
    ])
    const stopping: HookTarget<readonly number[]> = {
      name: 'stopping',
      call: (data, signal) => {
        turn.abort()
        return hangs?.call(data, signal) ?? Promise.resolve()
      },
    }
    const targets = [stopping, ...(adds === undefined ? [] : [adds])]
    expect(await notifyAll(targets, { data: [7], answer: numbers }, world.options(turn.signal))).toEqual([])
    expect(world.reports.map(({ plugin, outcome }) => [plugin, outcome])).toEqual([['stopping', 'ENDED']])
    expect(world.signals.get('p0')?.aborted).toBe(true)
  })
})
