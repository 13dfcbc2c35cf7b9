import { setImmediate as soon } from 'node:timers'
import { setImmediate as whenIdle } from 'node:timers/promises'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { HookName } from '../plugin-api/hook-inputs.ts'
import type { Clock } from '../platform/clock.ts'
import {
  chainThrough,
  firstToWin,
  notifyAll,
  type HookCall,
  type HookReport,
  type HookTarget,
  type Moment,
  type RunOptions,
} from './runners.ts'

/** How a plugin of the model behaves in a hook. LATE answers after its time is over; HANGS never does. */
type Behaviour = {
  readonly kind: 'ADDS' | 'SILENT' | 'THROWS' | 'NONSENSE' | 'LATE' | 'HANGS' | 'ABSENT'
  readonly value: number
}

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  kind: fc.constantFrom('ADDS', 'SILENT', 'THROWS', 'NONSENSE', 'LATE', 'HANGS', 'ABSENT'),
  value: fc.integer({ min: 0, max: 9 }),
})
/** Told of before a hook whose answers count. */
const NOTIFIED = ['onPipelineStart', 'onMessage', 'onAfterInvoke'] as const satisfies readonly HookName[]
const ASKED = 'onBeforeInvoke' satisfies HookName
/** Of a plugin, in each hook. */
type Plugin = Readonly<Record<(typeof NOTIFIED)[number] | typeof ASKED, Behaviour>>
const plugins: fc.Arbitrary<readonly Plugin[]> = fc.array(
  fc.record({
    onPipelineStart: behaviour,
    onMessage: behaviour,
    onAfterInvoke: behaviour,
    onBeforeInvoke: behaviour,
  }),
  { maxLength: 5 },
)

const OUTCOMES = {
  ADDS: 'OK',
  SILENT: 'OK',
  THROWS: 'THREW',
  NONSENSE: 'WRONG',
  LATE: 'LATE',
  HANGS: 'LATE',
} as const
const numbers = z.array(z.number()).nullable()

function momentOf(hook: HookName, data: readonly number[]): Moment<readonly number[]> {
  return { hook, data, budgetMs: 5, answer: numbers }
}

/** Plugins that behave so, with what they saw and how they were reported; `settle` lets late ones answer. */
class World {
  readonly calls: { readonly name: string; readonly hook: HookName; readonly data: unknown }[] = []
  readonly reports: HookReport[] = []
  readonly signals = new Map<string, AbortSignal>()
  readonly #late: (() => void)[] = []
  #running = 0
  /** A call was made while another one still had its time. */
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

  targets(all: readonly Plugin[]): readonly HookTarget[] {
    return all.map((plugin, index) => ({
      name: `p${index}`,
      takes: (hook) => plugin[hook as keyof Plugin].kind !== 'ABSENT',
      callInOrder: (calls) => {
        let before: Promise<unknown> = Promise.resolve()
        return calls.map((call) => {
          const made = before.then(() => this.#call(`p${index}`, plugin, call))
          const givenUp = new Promise((resolve) => call.signal.addEventListener('abort', resolve))
          before = Promise.race([made.catch(() => undefined), givenUp])
          return made
        })
      },
    }))
  }

  options(signal = new AbortController().signal): RunOptions {
    return { clock: this.#clock, signal, onReport: (report) => this.reports.push(report) }
  }

  settleLate(): Promise<void> {
    for (const answer of this.#late.splice(0)) answer()
    return whenIdle()
  }

  async #call(name: string, plugin: Plugin, { hook, data, signal }: HookCall): Promise<unknown> {
    if (signal.aborted) throw new Error('given up before it began')
    this.overlapped ||= this.#running > 0
    this.#running += 1
    this.calls.push({ name, hook, data })
    this.signals.set(`${name} ${hook}`, signal)
    try {
      return await this.#behave(plugin[hook as keyof Plugin], data as readonly number[], signal)
    } finally {
      if (!signal.aborted) this.#running -= 1
    }
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

interface Expected {
  readonly name: string
  readonly hook: HookName
  readonly behaviour: Behaviour
}

/** Each plugin in its order, and of each the hooks that it has in theirs. */
function callsOf(all: readonly Plugin[], hooks: readonly (keyof Plugin)[]): Expected[] {
  return all.flatMap((plugin, index) =>
    hooks
      .filter((hook) => plugin[hook].kind !== 'ABSENT')
      .map((hook) => ({ name: `p${index}`, hook, behaviour: plugin[hook] })),
  )
}

function expectCalled(world: World, expected: readonly Expected[]): void {
  expect(world.calls.map(({ name, hook }) => [name, hook])).toEqual(expected.map(({ name, hook }) => [name, hook]))
  expect(world.overlapped).toBe(false)
  const outcomes = expected.map(({ name, hook, behaviour: { kind } }) => [
    name,
    hook,
    kind === 'ABSENT' ? null : OUTCOMES[kind],
  ])
  expect(world.reports.map(({ plugin, hook, outcome }) => [plugin, hook, outcome])).toEqual(outcomes)
  for (const [name, hook, outcome] of outcomes)
    expect(world.signals.get(`${name} ${hook}`)?.aborted).toBe(outcome === 'LATE')
}

describe('the runners behave as their model', () => {
  test('notify: all in order, one after another; failures and late answers change nothing', () =>
    fc.assert(
      fc.asyncProperty(plugins, async (all) => {
        const world = new World()
        const moments = NOTIFIED.map((hook) => momentOf(hook, [7]))
        const answers = await notifyAll(world.targets(all), moments, world.options())
        const settled = structuredClone(answers.map(({ answer }) => answer))
        await world.settleLate()
        expect(answers.map(({ answer }) => answer)).toEqual(settled)
        const expected = callsOf(all, NOTIFIED)
        expectCalled(world, expected)
        expect(world.calls.every(({ data }) => JSON.stringify(data) === '[7]')).toBe(true)
        const adding = expected.flatMap(({ name, hook, behaviour: { kind, value } }) =>
          kind === 'ADDS' ? [[name, hook, [7, value]]] : [],
        )
        expect(answers.map(({ plugin, moment, answer }) => [plugin, moment.hook, answer])).toEqual(adding)
      }),
    ))

  test('chain: each gets what the last that worked left, after what it is told of', () =>
    fc.assert(
      fc.asyncProperty(plugins, async (all) => {
        const world = new World()
        const chain = {
          before: NOTIFIED.map((hook) => momentOf(hook, [7])),
          value: [] as readonly number[],
          momentOf: (value: readonly number[]) => momentOf(ASKED, value),
          next: (_before: readonly number[], answer: readonly number[]): readonly number[] => answer,
        }
        const result = await chainThrough(world.targets(all), chain, world.options())
        await world.settleLate()
        expectCalled(world, callsOf(all, [...NOTIFIED, ASKED]))
        const asked = world.calls.filter(({ hook }) => hook === ASKED)
        const value: number[] = []
        for (const [index, { behaviour: own }] of callsOf(all, [ASKED]).entries()) {
          expect(asked[index]?.data).toEqual(value)
          if (own.kind === 'ADDS') value.push(own.value)
        }
        expect(result).toEqual(value)
      }),
    ))

  test('first wins: none is called after the first that wins', () =>
    fc.assert(
      fc.asyncProperty(plugins, async (all) => {
        const world = new World()
        const wins = (answer: readonly number[]): boolean => (answer[1] ?? 0) > 5
        const moment = momentOf(ASKED, [7])
        const won = await firstToWin(world.targets(all), { moment, wins }, world.options())
        await world.settleLate()
        const expected = callsOf(all, [ASKED])
        const first = expected.findIndex(({ behaviour: { kind, value } }) => kind === 'ADDS' && value > 5)
        expectCalled(world, first === -1 ? expected : expected.slice(0, first + 1))
        const winner = expected[first]
        expect(won).toEqual(winner === undefined ? null : { plugin: winner.name, answer: [7, winner.behaviour.value] })
      }),
    ))

  test('more than a plugin may have open at a time are given all the same', async () => {
    const world = new World()
    const adds: Behaviour = { kind: 'ADDS', value: 1 }
    const plugin: Plugin = { onPipelineStart: adds, onMessage: adds, onAfterInvoke: adds, onBeforeInvoke: adds }
    const moments = Array.from({ length: 70 }, (_, n) => momentOf('onMessage', [n]))
    await notifyAll(world.targets([plugin, plugin]), moments, world.options())
    const numbersOf = (name: string) => world.calls.flatMap((call) => (call.name === name ? [call.data] : []))
    expect(numbersOf('p0')).toEqual(moments.map(({ data }) => data))
    expect(numbersOf('p1')).toEqual(numbersOf('p0'))
  })

  test('when the caller gives up nothing more is called', async () => {
    const world = new World()
    const turn = new AbortController()
    const hangs: Behaviour = { kind: 'HANGS', value: 0 }
    const adds: Behaviour = { kind: 'ADDS', value: 1 }
    const plugin: Plugin = { onPipelineStart: hangs, onMessage: adds, onAfterInvoke: adds, onBeforeInvoke: adds }
    const [target, next] = world.targets([plugin, plugin])
    const stopping: HookTarget = {
      name: 'stopping',
      takes: () => true,
      callInOrder: (calls) => {
        turn.abort()
        return target?.callInOrder(calls) ?? []
      },
    }
    const moments = NOTIFIED.map((hook) => momentOf(hook, [7]))
    const targets = [stopping, ...(next === undefined ? [] : [next])]
    expect(await notifyAll(targets, moments, world.options(turn.signal))).toEqual([])
    await world.settleLate()
    expect(world.calls).toEqual([])
    expect(world.reports.map(({ plugin, outcome }) => [plugin, outcome])).toEqual([['stopping', 'ENDED']])
  })

  test('when the caller gives up in the middle of a row, its rest is not called', async () => {
    const world = new World()
    const turn = new AbortController()
    const hangs: Behaviour = { kind: 'HANGS', value: 0 }
    const adds: Behaviour = { kind: 'ADDS', value: 1 }
    const targets = world.targets([
      { onPipelineStart: hangs, onMessage: adds, onAfterInvoke: adds, onBeforeInvoke: adds },
    ])
    const moments = NOTIFIED.map((hook) => momentOf(hook, [7]))
    const given = notifyAll(targets, moments, world.options(turn.signal))
    // Its time is not over before the next macrotask.
    while (world.calls.length === 0) await Promise.resolve()
    turn.abort()
    expect(await given).toEqual([])
    expect(world.calls.map(({ hook }) => hook)).toEqual(['onPipelineStart'])
    expect(world.reports.map(({ plugin, outcome }) => [plugin, outcome])).toEqual([['p0', 'ENDED']])
    expect(world.signals.get('p0 onPipelineStart')?.aborted).toBe(true)
  })
})
