/** Plugins that do what they must not, each with its end. Another plugin answers throughout. */
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/plugin-api/hook-inputs.ts'
import type { PluginPort } from '../../src/plugins/plugin-instance.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { withinBudget } from '../../src/plugins/runners.ts'
import { THREAD_LIMITS, type ThreadLimits } from '../../src/plugins/thread/thread-limits.ts'
import { ThreadPlugin } from '../../src/plugins/thread/thread-plugin.ts'

/** Wide where a plugin only has to get ready, or to beat: a busy machine loads slowly, and stands still for seconds. */
const limits = { ...THREAD_LIMITS, beatMs: 100, missedBeats: 200, startMs: 20_000, stopMs: 500, loadMs: 30_000 }
/** For those that hang. */
const SOON_MISSED = { missedBeats: 10 }
const turn = { sessionId: 's', sessionType: 'DIRECT', turnId: 't', user: 'ada', role: 'USER' } as const
const lines: string[] = []
const port: PluginPort = {
  ask: async () => clock.sleep(20).then(() => null),
  log: (_level, message) => void lines.push(message),
  end: () => {},
}

function load(name: string, more: Partial<ThreadLimits> = {}): Promise<ThreadPlugin> {
  const entry = pathToFileURL(new URL(name, import.meta.url).pathname).href
  return ThreadPlugin.load({ entry, port, limits: { ...limits, ...more }, clock })
}

/** The answer, or what it was rejected with. */
async function call(
  plugin: ThreadPlugin,
  hook: 'onMessage' | 'onCommand' | 'onTaskComplete',
  budgetMs = 30_000,
): Promise<Json> {
  const data = { ...turn, name: 'greet', args: 'you', from: 'USER' }
  const signal = new AbortController().signal
  const work = (own: AbortSignal): Promise<Json> => plugin.call({ kind: 'HOOK', hook, data }, { signal: own })
  return withinBudget(work, { budgetMs, clock, signal }).catch((error: unknown) => String(error))
}

let neighbour: ThreadPlugin
beforeAll(async () => {
  neighbour = await load('good-plugin.ts')
  await neighbour.start({ settings: { greeting: 'Hi', key: 'SOME_KEY' }, secrets: { key: 'its value' } })
})
afterAll(() => neighbour.stop())

/** Its `work`, while the neighbour is asked every 50 ms and the server's own timers go on. */
async function besideNeighbour<Value>(work: () => Promise<Value>): Promise<Value> {
  const over = new AbortController()
  const answers: Json[] = []
  const asking = (async () => {
    while (!over.signal.aborted) {
      answers.push(await call(neighbour, 'onCommand'))
      await clock.sleep(50)
    }
  })()
  const value = await work().finally(() => over.abort())
  await asking
  expect(new Set(answers)).toEqual(new Set(['Hi, you! its value']))
  return value
}

async function started(name: string): Promise<ThreadPlugin> {
  const plugin = await load(`zoo/${name}.ts`, name.startsWith('loops') ? SOON_MISSED : {})
  await plugin.start({ settings: {}, secrets: {} })
  return plugin
}

describe('a plugin that ends its own thread is lost, and nothing else', () => {
  test.each([
    ['throws-outside', 'threw outside of a call: boom outside'],
    ['rejects-outside', 'threw outside of a call: nobody waits'],
    ['exits', 'ended by itself, with code 0'],
    ['loops', 'event loop has hung'],
    ['loops-in-microtasks', 'event loop has hung'],
    ['eats-heap', 'more than 256 MB of memory'],
    ['eats-buffers', 'more than 256 MB of memory'],
    ['steals-port', 'flooded the server with messages'],
    ['breaks-protocol', 'what no plugin may send'],
    ['posts-lists', 'what no plugin may send'],
  ])('%s', async (name, reason) => {
    await besideNeighbour(async () => {
      const plugin = await started(name)
      expect(await call(plugin, 'onMessage')).toContain(`the plugin ended meanwhile: it`)
      expect(await plugin.lost).toContain(reason)
      expect(await call(plugin, 'onMessage')).toContain('the plugin has ended')
    })
  })
})

describe('a plugin whose call fails is there for the next one', () => {
  test.each([
    ['throws', 'onMessage', 'boom'],
    ['kills', 'onMessage', 'a plugin may not send signals'],
    ['hangs', 'onMessage', 'did not answer within 0.3 s'],
    ['answers-too-much', 'onCommand', 'too long: 209715'],
    ['answers-nonsense', 'onCommand', 'no JSON: Do not know how to serialize a BigInt'],
    ['answers-nonsense', 'onTaskComplete', 'it answered no JSON'],
    ['answers-too-deep', 'onCommand', 'no JSON: Maximum call stack size exceeded'],
    ['answers-deep', 'onCommand', 'answered JSON that is nested more than 256 levels deep'],
  ] as const)('%s', async (name, hook, message) => {
    await besideNeighbour(async () => {
      const plugin = await started(name)
      for (let round = 0; round < 2; round += 1) {
        expect(await call(plugin, hook, name === 'hangs' ? 300 : 30_000)).toContain(message)
      }
      await plugin.stop()
      expect(await plugin.lost).toBe('it was stopped')
    })
  })

  test('one that leaves calls open for ever is called no more', async () => {
    const plugin = await started('hangs')
    await Promise.all(Array.from({ length: limits.openCalls }, () => call(plugin, 'onMessage', 10)))
    expect(await call(plugin, 'onMessage')).toContain('it has too many calls open')
    await plugin.stop()
  })
})

describe('what a plugin writes is bounded', () => {
  test.each(['floods-log', 'floods-stdout'])('%s', async (name) => {
    await besideNeighbour(async () => {
      lines.splice(0)
      const plugin = await started(name)
      expect(await call(plugin, 'onMessage')).toBeNull()
      await plugin.stop()
      expect(lines.length).toBeGreaterThan(50)
      expect(lines.length).toBeLessThan(1500)
    })
  })

  test('floods-parent reaches nobody', async () => {
    const plugin = await besideNeighbour(() => started('floods-parent'))
    expect(await call(plugin, 'onMessage')).toBeNull()
    await plugin.stop()
  })

  test('floods-requests is refused all but 32', async () => {
    const plugin = await started('floods-requests')
    expect(await call(plugin, 'onCommand')).toBe('968')
    await plugin.stop()
  })

  test('asks-too-deep is refused', async () => {
    const plugin = await started('asks-too-deep')
    expect(await call(plugin, 'onCommand')).toContain('data: must be JSON that is nested at most 256 levels deep')
    await plugin.stop()
  })

  test('answers-deep logs a line without what is too deep', async () => {
    lines.splice(0)
    const plugin = await started('answers-deep')
    expect(await call(plugin, 'onMessage')).toBeNull()
    await plugin.stop()
    expect(await plugin.lost).toBe('it was stopped')
    expect(lines).toEqual(['lists in lists'])
  })

  test('reads-environment finds nothing', async () => {
    const plugin = await started('reads-environment')
    expect(await call(plugin, 'onCommand')).toBe('[]')
    await plugin.stop()
  })
})

describe('a plugin that cannot be used says why', () => {
  test.each([
    ['exits-at-load', 'ended by itself, with code 3'],
    ['takes-other-name', 'name: must be lower-case letters'],
    ['other-api', 'api: must be 1'],
    ['no-plugin', 'no default export made by definePlugin'],
    ['declares-too-deep', 'it sent what no plugin may send'],
    ['not-there', 'Cannot find module'],
  ])('%s', async (name, message) => {
    await besideNeighbour(() => expect(load(`zoo/${name}.ts`)).rejects.toThrow(message))
  })

  test('loops-at-load', async () => {
    const loading = () => load('zoo/loops-at-load.ts', { loadMs: 3000 })
    await besideNeighbour(() => expect(loading()).rejects.toThrow('did not answer within 3 s'))
  })

  test('never-starts is late, never-stops is ended', async () => {
    const late = await load('zoo/never-starts.ts', { startMs: 1000 })
    await expect(late.start({ settings: {}, secrets: {} })).rejects.toThrow('did not answer within 1 s')
    const endless = await started('never-stops')
    await Promise.all([late.stop(), endless.stop()])
    expect(await endless.lost).toBe('it was stopped')
  })
})

test('the neighbour says what it is, and its settings are checked', async () => {
  const { settingsSchema, ...manifest } = neighbour.manifest
  expect(manifest).toMatchObject({ name: 'good-plugin', hooks: ['onBeforeInvoke'], secretSettings: ['key'] })
  expect(settingsSchema).toMatchObject({ type: 'object', properties: { greeting: { default: 'Hello' } } })
  expect(await neighbour.check({ greeting: '' })).toContain('greeting: Too small')
  expect(await neighbour.check({ key: 'sk-not a name' })).toContain('must be the NAME of a deploy secret')
  expect(await neighbour.check({})).toBeNull()
})
