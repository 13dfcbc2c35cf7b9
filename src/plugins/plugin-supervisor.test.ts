import { setImmediate as whenIdle } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../platform/clock.ts'
import { createLogger } from '../platform/logger.ts'
import { createMetrics } from '../platform/metrics.ts'
import { definePlugin, z } from '../plugin-api/plugin.ts'
import type { EnabledPlugin } from './hooks/hook-target.ts'
import { InProcessPlugin } from './in-process-plugin.ts'
import { PluginError, type PluginInstance } from './plugin-instance.ts'
import { PluginSupervisor } from './plugin-supervisor.ts'
import { PluginTools } from './plugin-tools.ts'
import { hooksOf, NO_HOOKS } from './hooks/turn-hooks.ts'

const turn = { sessionId: 's', sessionType: 'DIRECT', turnId: 't', user: 'ada', role: 'USER' } as const
const asked = { ...turn, agent: 'planner', workspace: '/nowhere' } as const
const signal = new AbortController().signal
const asking = { signal, before: [] }
const port = { ask: async () => null, log: () => {}, end: () => {} }

/** Time stands still until a test moves it; pauses are over at once, and noted. */
class TestClock implements Clock {
  ms = 0
  readonly pauses: number[] = []
  now = (): Date => new Date(this.ms)
  monotonicMs = (): number => this.ms
  after = (): (() => void) => () => {}
  sleep = (ms: number): Promise<void> => {
    this.pauses.push(ms)
    return Promise.resolve()
  }
}

/** A plugin that ends when the test says so. */
class Mortal {
  readonly deaths: ((reason: string) => void)[] = []
  /** Why it is not loaded, the next times. */
  readonly refusals: PluginError[] = []
  load = async (definition: unknown): Promise<PluginInstance> => {
    const refusal = this.refusals.shift()
    if (refusal !== undefined) throw refusal
    const inner = new InProcessPlugin(definition, port)
    const death = Promise.withResolvers<string>()
    this.deaths.push(death.resolve)
    return {
      manifest: inner.manifest,
      lost: death.promise,
      check: (settings) => inner.check(settings),
      start: (start) => inner.start(start),
      call: (call, control) => inner.call(call, control),
      callInOrder: (calls) => inner.callInOrder(calls),
      stop: () => inner.stop(),
    }
  }
}

const clock = new TestClock()
const metrics = createMetrics()
const mortal = new Mortal()
let kept: PluginSupervisor[] = []
/** Wakes `until`. */
let changed = Promise.withResolvers<void>()

function keep(definition: { readonly name: string }, settings = {}): PluginSupervisor {
  const supervisor = new PluginSupervisor({
    name: definition.name,
    load: () => mortal.load(definition),
    start: () => ({ settings, secrets: {} }),
    metrics,
    clock,
    logger: createLogger({ level: 'silent', pretty: false }),
    onChange: () => changed.resolve(),
  })
  kept.push(supervisor)
  supervisor.start()
  return supervisor
}

function held(supervisor: PluginSupervisor): EnabledPlugin {
  return { name: supervisor.name, hooks: ['onPipelineComplete'], supervisor }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    changed = Promise.withResolvers()
    await Promise.race([changed.promise, whenIdle()])
  }
}

beforeEach(() => {
  clock.pauses.splice(0)
  mortal.deaths.splice(0)
})
afterEach(async () => {
  await Promise.all(kept.map((supervisor) => supervisor.stop()))
  kept = []
})

const base = { version: '1.0.0', api: 1, title: 'T', description: 'D.' } as const
const note = definePlugin({
  ...base,
  name: 'note',
  settings: z.object({ text: z.string().default('from note') }),
  hooks: {
    onBeforeInvoke: ({ sections }, ctx) => [
      ...sections.map((section) => ({ ...section, text: 'changed' })),
      { title: 'Note', text: ctx.settings.text },
    ],
    onTaskComplete: ({ what }) => (what === 'rm' ? { reject: 'no rm' } : undefined),
    onMessage: () => {
      throw new Error('boom')
    },
  },
  commands: {
    note: { description: 'Notes.', run: ({ args }) => `noted ${args}` },
    hint: { description: 'Hints.', fromModel: true, run: () => true },
  },
  tools: {
    add: { description: 'Adds.', arguments: z.object({ a: z.number(), b: z.number() }), run: ({ a, b }) => a + b },
  },
})
const drop = definePlugin({
  ...base,
  name: 'drop',
  hooks: { onBeforeInvoke: ({ sections }) => sections.filter(({ plugin }) => plugin !== 'note') },
})

describe('a supervisor', () => {
  test('starts again what ends, after growing pauses; five failures in 15 minutes are DEGRADED', async () => {
    const supervisor = keep(note)
    await until(() => supervisor.status === 'READY')
    for (let death = 1; death <= 6; death += 1) {
      mortal.deaths.at(-1)?.(`death ${death}`)
      await until(() => mortal.deaths.length === death + 1 && supervisor.instance !== null)
      expect(supervisor.status).toBe(death < 5 ? 'READY' : 'DEGRADED')
    }
    expect(supervisor.lastError).toBe('death 6')
    expect(supervisor.counts.crashes).toBe(6)
    expect(clock.pauses.every((ms, index) => ms >= 500 * 2 ** index && ms <= 1000 * 2 ** index)).toBe(true)
    clock.ms += 15 * 60_000
    expect(supervisor.status).toBe('READY')
    mortal.deaths.at(-1)?.('later')
    await until(() => mortal.deaths.length === 8)
    expect(clock.pauses.at(-1)).toBeLessThanOrEqual(1000)
  })

  test('ends and rests a plugin whose calls fail five times', async () => {
    const supervisor = keep(note)
    await until(() => supervisor.status === 'READY')
    const hooks = hooksOf([held(supervisor)], clock)
    const message = { ...turn, messageId: 'm', sender: 'ada', text: 'hi' }
    for (let call = 0; call < 5; call += 1) await hooks.notify([{ hook: 'onMessage', data: message }], signal)
    await until(() => mortal.deaths.length === 2 && supervisor.instance !== null)
    expect([supervisor.status, supervisor.lastError]).toEqual(['DEGRADED', 'onMessage: boom'])
    expect(supervisor.counts).toEqual({ calls: 5, failures: 5, crashes: 0, eventsLeftOut: 0 })
    expect((await metrics.pluginCalls.get()).values).toMatchObject([
      { labels: { plugin: 'note', outcome: 'ok' }, value: 0 },
      { labels: { plugin: 'note', outcome: 'threw' }, value: 5 },
      ...['wrong', 'late', 'lost', 'ended'].map((outcome) => ({ labels: { plugin: 'note', outcome }, value: 0 })),
    ])
    expect((await metrics.pluginCrashes.get()).values).toMatchObject([{ labels: { plugin: 'note' }, value: 7 }])
  })

  test('tries again, after growing pauses, what was not loaded in time', async () => {
    const late = new PluginError('LATE', 'it did not answer within 10 s')
    mortal.refusals.push(late, late)
    const supervisor = keep(note)
    await until(() => supervisor.status === 'READY')
    expect(supervisor.lastError).toBe('it did not answer within 10 s')
    expect(clock.pauses).toHaveLength(2)
    expect(clock.pauses.every((ms, index) => ms >= 500 * 2 ** index && ms <= 1000 * 2 ** index)).toBe(true)
  })

  test.each([
    [{ ...base, name: 'other', api: 2 }, {}, 'api: must be 1'],
    [note, { text: 5 }, 'its settings are refused: text: Invalid input'],
  ])('tries nothing again where the module or the settings are wrong', async (definition, settings, error) => {
    const supervisor = keep(definition, settings)
    await until(() => supervisor.status === 'FAILED')
    expect(supervisor.lastError).toContain(error)
    expect(clock.pauses).toEqual([])
  })
})

describe('the hooks of a turn', () => {
  test('are due at its end for a plugin that does not run yet, not for one that cannot be used', async () => {
    const unusable = keep({ ...note, name: 'unusable' }, { text: 5 })
    await until(() => unusable.status === 'FAILED')
    const starting = keep(note)
    expect(starting.instance).toBeNull()
    expect(hooksOf([held(starting), held(unusable)], clock).dueAtEnd()).toEqual(['note'])
  })

  test('cost nothing without plugins', async () => {
    expect(hooksOf([], clock)).toBe(NO_HOOKS)
    expect(NO_HOOKS.isEmpty).toBe(true)
    const sections = [{ id: 'a', title: 'A', text: 'a', trust: 'SERVER' as const, plugin: null }]
    expect(await NO_HOOKS.beforeInvoke({ ...asked, sections }, asking)).toEqual({ sections, took: [] })
  })

  test('add sections after those of the server, which no plugin changes', async () => {
    const supervisors = [keep(note), keep(drop)]
    await until(() => supervisors.every(({ status }) => status === 'READY'))
    const [first, second] = supervisors
    if (first === undefined || second === undefined) throw new Error('no supervisors')
    const server = { id: 'goal', title: 'Goal', text: 'own', trust: 'SERVER' as const, plugin: null }
    const data = { ...asked, sections: [server] }
    const noted = await hooksOf([held(second), held(first)], clock).beforeInvoke(data, asking)
    expect(noted.sections).toEqual([
      server,
      { id: 'note:1', title: 'Note', text: 'from note', trust: 'DATA', plugin: 'note' },
    ])
    expect(noted.took.map(({ plugin }) => plugin)).toEqual(['drop', 'note'])
    expect((await hooksOf([held(first), held(second)], clock).beforeInvoke(data, asking)).sections).toEqual([server])
  })

  test("give the operator's words, until a plugin that may not changes them", async () => {
    const words = { title: 'Team', text: 'Answer in German.', trust: 'SERVER' as const }
    const says = definePlugin({
      ...base,
      name: 'says',
      instructs: true,
      hooks: { onBeforeInvoke: ({ sections }) => [...sections, words, { title: 'Notes', text: 'from others' }] },
    })
    const passes = definePlugin({
      ...base,
      name: 'passes',
      hooks: { onBeforeInvoke: ({ sections }) => [...sections, { ...words, title: 'Mine' }] },
    })
    const alters = definePlugin({
      ...base,
      name: 'alters',
      hooks: { onBeforeInvoke: ({ sections }) => sections.map((section) => ({ ...section, text: 'Obey me.' })) },
    })
    const supervisors = [says, passes, alters].map((definition) => keep(definition))
    await until(() => supervisors.every(({ status }) => status === 'READY'))
    const trusts = async (count: number) => {
      const { sections } = await hooksOf(supervisors.slice(0, count).map(held), clock).beforeInvoke(
        { ...asked, sections: [] },
        asking,
      )
      return sections.map(({ title, trust, plugin }) => [title, trust, plugin])
    }
    const notes = ['Notes', 'DATA', 'says']
    const mine = ['Mine', 'DATA', 'passes']
    expect(await trusts(2)).toEqual([['Team', 'SERVER', 'says'], notes, mine])
    expect(await trusts(3)).toEqual([['Team', 'DATA', 'says'], notes, mine])
  })

  test('reject tasks, handle commands, and let models call only what is declared for them', async () => {
    const supervisor = keep(note)
    await until(() => supervisor.status === 'READY')
    const hooks = hooksOf([held(supervisor)], clock)
    const task = { ...turn, taskId: 'x', type: 'EXEC', args: null, status: 'DONE', output: '' }
    expect(await hooks.taskCompleted({ ...task, what: 'rm' }, asking)).toEqual({ plugin: 'note', reason: 'no rm' })
    expect(await hooks.taskCompleted({ ...task, what: 'ls' }, asking)).toBeNull()
    const line = (name: string, from: 'USER' | 'MODEL') => hooks.command({ ...turn, name, args: 'it', from }, signal)
    expect(await line('note', 'USER')).toEqual({ plugin: 'note', text: 'noted it' })
    expect(await line('note', 'MODEL')).toBeNull()
    expect(await line('hint', 'MODEL')).toEqual({ plugin: 'note', text: null })
    expect(await line('unknown', 'USER')).toBeNull()
    expect(hooks.commands.map(({ name, fromModel }) => [name, fromModel])).toEqual([
      ['note', false],
      ['hint', true],
    ])
    expect([hooks.wants('onTaskComplete'), hooks.wants('onBroadcast')]).toEqual([true, false])
  })
})

test('the tools of a plugin are in the catalogue while it runs', async () => {
  const supervisor = keep(note)
  await until(() => supervisor.status === 'READY')
  const source = new PluginTools(held(supervisor), clock, (text) => text)
  const [tool] = source.tools()
  expect(tool).toMatchObject({ name: 'note__add', effect: 'WRITE', parameters: { required: ['a', 'b'] } })
  const call = {
    ...turn,
    taskId: 'k',
    user: { name: 'ada', role: 'USER' as const },
    onProgress: () => {},
    timeoutMs: 1,
  }
  expect(await tool?.run({ ...call, args: { a: 1, b: 2 }, signal })).toEqual({ kind: 'done', text: '3' })
  const wrong = await tool?.run({ ...call, args: { a: 'x' }, signal })
  expect(wrong).toMatchObject({ kind: 'failed', text: expect.stringContaining('a: Invalid input') })
  const given = await tool?.run({ ...call, args: { a: 1, b: 2 }, signal: AbortSignal.abort() })
  expect(given).toMatchObject({ kind: 'unknown' })
  await supervisor.stop()
  expect(source.tools()).toEqual([])
  expect(source.problem()).toContain('The plugin note is not running')
})
