/** Calls that a plugin's thread is given at once are made one after another, as if each had been waited for. */
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ControlledCall, PluginPort } from '../../src/plugins/plugin-instance.ts'
import { systemClock as clock } from '../../src/platform/clock.ts'
import { THREAD_LIMITS } from '../../src/plugins/thread/thread-limits.ts'
import { ThreadPlugin } from '../../src/plugins/thread/thread-plugin.ts'

/** Wide: a busy machine loads slowly. */
const limits = { ...THREAD_LIMITS, startMs: 20_000, loadMs: 30_000, missedBeats: 40 }
const lines: string[] = []
const port: PluginPort = { ask: async () => null, log: (_level, message) => void lines.push(message), end: () => {} }
const entry = pathToFileURL(new URL('slow-reader.ts', import.meta.url).pathname).href
let plugin: ThreadPlugin

beforeAll(async () => {
  plugin = await ThreadPlugin.load({ entry, port, limits, clock })
  await plugin.start({ settings: {}, secrets: {} })
})
beforeEach(() => void lines.splice(0))
afterAll(() => plugin.stop())

function reads(text: string, signal = new AbortController().signal): ControlledCall {
  return { call: { kind: 'HOOK', hook: 'onMessage', data: { text } }, control: { signal } }
}

function outcomes(calls: readonly ControlledCall[]): Promise<readonly string[]> {
  return Promise.all(
    plugin.callInOrder(calls).map((answer) => answer.then(String).catch((error: unknown) => String(error))),
  )
}

test('each begins when the one before has ended, or has failed', async () => {
  expect(await outcomes([reads('one'), reads('throw'), reads('three')])).toEqual([
    'null',
    'PluginError: no such page (slow-reader.ts:14:35)',
    'null',
  ])
  expect(lines).toEqual(['begins one', 'ends one', 'begins throw', 'begins three', 'ends three'])
})

test('what is given up makes place for the next; what is given up before it begins is not made', async () => {
  const hanging = new AbortController()
  const answers = outcomes([reads('hang', hanging.signal), reads('never', AbortSignal.abort()), reads('after')])
  const last = plugin.call(reads('beside').call, { signal: new AbortController().signal })
  // Calls of their own do not wait for a row.
  await last
  expect(lines).toEqual(['begins hang', 'begins beside', 'ends beside'])
  hanging.abort()
  expect(await answers).toEqual(['PluginError: the call was given up', 'PluginError: the call was given up', 'null'])
  expect(lines.slice(3)).toEqual(['begins after', 'ends after'])
})

test('when a row is given up from its end, nothing more of it is made', async () => {
  const controls = [1, 2, 3].map(() => new AbortController())
  const answers = outcomes(controls.map(({ signal }, n) => reads(n === 0 ? 'hang' : `page ${n}`, signal)))
  for (const control of controls.toReversed()) control.abort()
  await answers
  expect(await outcomes([reads('the last')])).toEqual(['null'])
  expect(lines).toEqual(['begins hang', 'begins the last', 'ends the last'])
})

test('all rows are made that the turns of a process have at once', async () => {
  const rows = Array.from({ length: 32 }, (_, turn) => outcomes([1, 2, 3, 4].map((n) => reads(`${turn}.${n}`))))
  expect(new Set((await Promise.all(rows)).flat())).toEqual(new Set(['null']))
})

test('a plugin that answers what it is asked does not flood the server', async () => {
  const between = { beatMs: 600_000, messagesPerBeat: 400 }
  const quick = await ThreadPlugin.load({ entry, port, limits: { ...limits, ...between }, clock })
  await quick.start({ settings: {}, secrets: {} })
  for (let row = 0; row < 30; row += 1)
    await Promise.all(quick.callInOrder(Array.from({ length: 30 }, (_, n) => reads(`${row}.${n}`))))
  await quick.stop()
  expect(await quick.lost).toBe('it was stopped')
})
