/** Runtimes of plugins that do what they must not, each with its end: the answer fails, and the server goes on. */
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics.ts'
import { systemClock as clock, type Clock } from '../../src/platform/clock.ts'
import type { OpenRuntime } from '../../src/core/tool/model-runtime.ts'
import type { LanguageModel } from '../../src/model/language-model.ts'
import { withRuntimes } from '../../src/model/runtime/runtime-model.ts'
import { PluginSupervisor } from '../../src/plugins/plugin-supervisor.ts'
import { PluginRuntimes } from '../../src/plugins/runtimes/plugin-runtimes.ts'
import { THREAD_LIMITS } from '../../src/plugins/thread/thread-limits.ts'
import { ThreadPlugin } from '../../src/plugins/thread/thread-plugin.ts'

const NAME = 'hostile-runtimes'
const STUCK = 'stuck-runtimes'
/** Wide where a plugin only has to get ready: a busy machine loads slowly. */
const limits = { ...THREAD_LIMITS, loadMs: 30_000, missedBeats: 60 }
const providers: LanguageModel = {
  complete: () => Promise.reject(new Error('not of a provider')),
  converse: () => Promise.reject(new Error('not of a provider')),
}

const entryOf = (name: string): string => pathToFileURL(new URL(`runtimes/${name}.ts`, import.meta.url).pathname).href
const port = { ask: () => Promise.resolve(null), log: () => {}, end: () => {} }

/** The plugin in a thread of its own, and what has become of its calls. */
class HostilePlugin implements AsyncDisposable {
  readonly runtimes: PluginRuntimes
  readonly #changes: (() => void)[] = []
  readonly supervisor: PluginSupervisor

  private constructor({ name, deadlines, openCalls }: Required<Bounds>) {
    this.runtimes = new PluginRuntimes(deadlines)
    this.supervisor = new PluginSupervisor({
      name,
      load: () => ThreadPlugin.load({ entry: entryOf(name), port, limits: { ...limits, openCalls }, clock }),
      start: () => ({ settings: {}, secrets: {} }),
      metrics: createMetrics(),
      clock,
      logger: createLogger({ level: 'silent', pretty: false }),
      onChange: () => this.#changes.splice(0).forEach((wake) => wake()),
      pauses: { firstMs: 10, maxMs: 10 },
    })
  }

  static async start(bounds: Bounds = {}): Promise<HostilePlugin> {
    const plugin = new HostilePlugin({ name: NAME, deadlines: clock, openCalls: limits.openCalls, ...bounds })
    plugin.runtimes.become([plugin.supervisor])
    plugin.supervisor.start()
    await plugin.until(() => plugin.supervisor.instance !== null)
    return plugin
  }

  /** Its call is under way when this returns. */
  open(runtime: string): Promise<OpenRuntime> {
    const opening = { name: `${this.supervisor.name}/${runtime}`, model: 'one', system: 'Be brief.' }
    return this.runtimes.open(opening, new AbortController().signal)
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => this.#changes.push(resolve))
  }

  ask(
    runtime: string,
    { idleTimeoutMs = 30_000, signal = new AbortController().signal, onText = () => {} }: Asking = {},
  ) {
    return withRuntimes({ model: providers, runtimes: this.runtimes, clock }).converse({
      role: 'assistant',
      provider: `${this.supervisor.name}/${runtime}`,
      model: 'one',
      system: 'Be brief.',
      said: [{ by: 'user', text: 'Hello' }],
      tools: [],
      continues: null,
      onText,
      onThinking: null,
      idleTimeoutMs,
      signal,
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.supervisor.stop()
  }
}

interface Bounds {
  readonly name?: string
  /** By which conversations are opened and closed in time. */
  readonly deadlines?: Clock
  readonly openCalls?: number
}

/** Deadlines that are over when the test says so. */
class HeldDeadlines implements Clock {
  readonly now = (): Date => clock.now()
  /** By how much it is later than it is. */
  aheadMs = 0
  readonly monotonicMs = (): number => clock.monotonicMs() + this.aheadMs
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => clock.sleep(ms, signal)
  readonly #running = new Map<() => void, number>()
  readonly after = (ms: number, action: () => void): (() => void) => {
    this.#running.set(action, ms)
    return () => this.#running.delete(action)
  }

  /** Those of this length that run are over; returns how many they are. */
  pass(ms: number): number {
    const passed = [...this.#running].filter(([, length]) => length === ms)
    for (const [action] of passed) {
      this.#running.delete(action)
      action()
    }
    return passed.length
  }
}

interface Asking {
  readonly idleTimeoutMs?: number
  readonly signal?: AbortSignal
  readonly onText?: (text: string) => void
}

test.each([
  { runtime: 'silent', code: 'MODEL_SILENT', message: 'said nothing for 0.5 s', idleTimeoutMs: 500 },
  { runtime: 'garbage', code: 'MODEL_BAD_OUTPUT', message: 'answered what no runtime may answer' },
  { runtime: 'endless', code: 'MODEL_BAD_OUTPUT', message: 'more than 1048576 characters' },
  { runtime: 'refuses', code: 'MODEL_UNREACHABLE', message: 'no room for conversations' },
  { runtime: 'bomb', code: 'MODEL_UNREACHABLE', message: 'no JSON' },
  { runtime: 'miscounts', code: 'MODEL_BAD_OUTPUT', message: 'answered what no runtime may answer' },
])('$runtime: $code, and the plugin is there for the next one', async ({ runtime, code, message, ...asking }) => {
  await using plugin = await HostilePlugin.start()
  const { instance } = plugin.supervisor
  const failure = { code, message: expect.stringContaining(message) }
  for (let round = 0; round < 2; round += 1) await expect(plugin.ask(runtime, asking)).rejects.toMatchObject(failure)
  expect(plugin.runtimes.stateOf(`${NAME}/${runtime}`).openCount).toBe(0)
  expect(plugin.supervisor.instance).toBe(instance)
})

test('what is wrong with an answer is shown for its runtime, and counts as a failure of the plugin', async () => {
  await using plugin = await HostilePlugin.start()
  const failed = plugin.ask('garbage')
  await expect(failed).rejects.toThrow('answered what no runtime may answer')
  expect(plugin.runtimes.stateOf(`${NAME}/garbage`)).toMatchObject({
    lastError: expect.stringContaining('answered what no runtime may answer'),
    lastErrorAt: expect.any(Date),
  })
  expect(plugin.runtimes.stateOf(`${NAME}/silent`)).toMatchObject({ lastError: null })
  expect(plugin.supervisor.counts.failures).toBe(1)
})

test('one that ends its process fails its answer, and is started again', async () => {
  await using plugin = await HostilePlugin.start()
  const { instance } = plugin.supervisor
  const said: string[] = []
  await expect(plugin.ask('exits', { onText: (text) => said.push(text) })).rejects.toMatchObject({
    code: 'MODEL_UNREACHABLE',
  })
  expect(said).toEqual(['Good'])
  await plugin.until(() => plugin.supervisor.instance !== null && plugin.supervisor.instance !== instance)
  await expect(plugin.ask('refuses')).rejects.toThrow('no room for conversations')
})

test('what comes after an answer was given up is not read', async () => {
  await using plugin = await HostilePlugin.start()
  const cancel = new AbortController()
  const said: string[] = []
  const onText = (text: string): void => {
    said.push(text)
    cancel.abort()
  }
  await expect(plugin.ask('late', { signal: cancel.signal, onText })).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect(plugin.ask('refuses')).rejects.toThrow('no room for conversations')
  expect(said).toEqual(['one'])
  // A call that its caller gave up is no failure of the runtime.
  expect(plugin.runtimes.stateOf(`${NAME}/late`)).toMatchObject({ openCount: 0, lastError: null })
})

test('a silence is shown for its runtime, and counts as a failure of the plugin', async () => {
  await using plugin = await HostilePlugin.start()
  await expect(plugin.ask('silent', { idleTimeoutMs: 500 })).rejects.toMatchObject({ code: 'MODEL_SILENT' })
  expect(plugin.runtimes.stateOf(`${NAME}/silent`).lastError).toContain('said nothing for 0.5 s')
  expect(plugin.supervisor.counts).toMatchObject({ calls: 1, failures: 1 })
})

test('one that never opens is given up in time, and leaves no call behind', async () => {
  const deadlines = new HeldDeadlines()
  await using plugin = await HostilePlugin.start({ name: STUCK, deadlines, openCalls: 4 })
  const message = `The runtime of the plugin "${STUCK}" failed: it did not answer within 30 s`
  for (let round = 1; round <= 4; round += 1) {
    const failed = plugin.ask('opening')
    expect(deadlines.pass(30_000)).toBe(1)
    await expect(failed).rejects.toMatchObject({ code: 'MODEL_UNREACHABLE', message })
    expect(plugin.supervisor.counts.failures).toBe(round)
    // Its close is answered.
    await plugin.ask('greets')
  }
  expect(plugin.runtimes.stateOf(`${STUCK}/opening`)).toMatchObject({ openCount: 0, lastError: message })
})

test('one that never closes is a failure each time, and leaves no call behind', async () => {
  const deadlines = new HeldDeadlines()
  await using plugin = await HostilePlugin.start({ name: STUCK, deadlines, openCalls: 2 })
  for (let round = 1; round <= 3; round += 1) {
    expect((await plugin.ask('closing')).text).toBe('Hello.')
    expect(deadlines.pass(5000)).toBe(1)
    await plugin.until(() => plugin.supervisor.counts.failures === round)
  }
  expect(plugin.runtimes.stateOf(`${STUCK}/closing`)).toMatchObject({
    openCount: 0,
    lastError: expect.stringContaining('within 5 s'),
  })
})

test('one that has too many calls open is told again that a conversation has ended, until it is closed there, too', async () => {
  const deadlines = new HeldDeadlines()
  await using plugin = await HostilePlugin.start({ name: STUCK, deadlines, openCalls: 2 })
  const conversation = await plugin.open('counts')
  const opening = [plugin.open('counts'), plugin.open('counts')]
  conversation.close()
  await Promise.all(opening)
  expect(deadlines.pass(1000)).toBe(1)
  // Of the three that were open two are left, and the one that asks.
  expect((await plugin.ask('counts')).text).toBe('3')
  expect(plugin.supervisor.counts.failures).toBe(0)
})

test('one that has too many calls open for five minutes has failed', async () => {
  const deadlines = new HeldDeadlines()
  await using plugin = await HostilePlugin.start({ name: STUCK, deadlines, openCalls: 1 })
  const conversation = await plugin.open('counts')
  let opening = plugin.open('counts')
  conversation.close()
  await opening
  deadlines.aheadMs = 300_000
  opening = plugin.open('counts')
  expect(deadlines.pass(1000)).toBe(1)
  await opening
  expect(plugin.supervisor.counts.failures).toBe(1)
  expect(plugin.runtimes.stateOf(`${STUCK}/counts`).lastError).toContain('too many calls open to be told of')
  expect(deadlines.pass(1000)).toBe(0)
})

test('one that ended meanwhile is told nothing more, and has not failed', async () => {
  const deadlines = new HeldDeadlines()
  await using plugin = await HostilePlugin.start({ name: STUCK, deadlines, openCalls: 1 })
  const conversation = await plugin.open('counts')
  const opening = plugin.open('counts')
  conversation.close()
  await opening
  await plugin.supervisor.stop()
  expect(deadlines.pass(1000)).toBe(1)
  await new Promise(setImmediate)
  expect(deadlines.pass(1000)).toBe(0)
  expect(plugin.supervisor.counts.failures).toBe(0)
})

test('a conversation that was never opened, as too many calls were open, is not closed', async () => {
  const deadlines = new HeldDeadlines()
  await using plugin = await HostilePlugin.start({ name: STUCK, deadlines, openCalls: 1 })
  const opening = plugin.open('counts')
  await expect(plugin.open('counts')).rejects.toThrow('it has too many calls open')
  await opening
  expect(deadlines.pass(1000)).toBe(0)
  expect(plugin.runtimes.stateOf(`${STUCK}/counts`).openCount).toBe(1)
})
