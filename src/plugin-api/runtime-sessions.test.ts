import { setImmediate as whenIdle } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RunningPlugin } from './running-plugin.ts'

/** A plugin whose runtime opens a conversation when the test says so, whatever its signal says. */
class SlowToOpen {
  readonly opening: PromiseWithResolvers<void>[] = []
  closedCount = 0
  readonly #running = new RunningPlugin(
    {
      name: 'slow',
      version: '1.0.0',
      api: 1,
      title: 'Slow',
      description: 'Opens late.',
      runtimes: {
        late: {
          description: 'Opens late.',
          open: async () => {
            const opened = Promise.withResolvers<void>()
            this.opening.push(opened)
            await opened.promise
            return {
              async *send() {
                yield { kind: 'text', text: 'Hello.' }
              },
              close: () => void (this.closedCount += 1),
            }
          },
        },
      },
    },
    { ask: () => Promise.resolve(null), log: () => undefined },
  )

  open(session: string, signal = new AbortController().signal): Promise<unknown> {
    const call = { kind: 'RUNTIME', act: 'OPEN', session, runtime: 'late', model: 'one', system: '' } as const
    return this.#running.call(call, { id: 1, signal, onProgress: () => undefined })
  }

  /** As the server does that gives the opening of a conversation up. */
  close(session: string): Promise<unknown> {
    return this.#do({ act: 'CLOSE', session })
  }

  send(session: string): Promise<unknown> {
    return this.#do({ act: 'SEND', session, messages: [], tools: [] })
  }

  stop(): Promise<void> {
    return this.#running.stop()
  }

  #do(what: { act: 'CLOSE'; session: string } | { act: 'SEND'; session: string; messages: []; tools: [] }) {
    const signal = new AbortController().signal
    return this.#running.call({ kind: 'RUNTIME', ...what }, { id: 2, signal, onProgress: () => undefined })
  }
}

const GIVEN_UP = 'this conversation was given up before it was open'

test('a conversation that was given up while it was opened is closed once, and those after it open', async () => {
  const plugin = new SlowToOpen()
  for (let n = 1; n <= 101; n += 1) {
    const givenUp = new AbortController()
    const opened = plugin.open(`runtime_${n}`, givenUp.signal)
    givenUp.abort()
    await expect(opened).rejects.toThrow('the call was given up')
    await plugin.close(`runtime_${n}`)
    plugin.opening.at(-1)?.resolve()
    await whenIdle()
    expect(plugin.closedCount).toBe(n)
    await expect(plugin.send(`runtime_${n}`)).rejects.toThrow('this conversation is not open')
  }
  const opened = plugin.open('runtime_wanted')
  plugin.opening.at(-1)?.resolve()
  await opened
  expect(await plugin.send('runtime_wanted')).toMatchObject({ pieces: [{ text: 'Hello.' }] })
  expect(plugin.closedCount).toBe(101)
  await plugin.close('runtime_wanted')
  expect(plugin.closedCount).toBe(102)
})

test.each(['aborted', 'closed'] as const)('%s alone is enough', async (how) => {
  const plugin = new SlowToOpen()
  const givenUp = new AbortController()
  const opened = plugin.open('runtime_1', givenUp.signal)
  const refused = opened.catch((error: unknown) => error)
  if (how === 'aborted') givenUp.abort()
  else await plugin.close('runtime_1')
  plugin.opening[0]?.resolve()
  expect(await refused).toMatchObject({ message: how === 'aborted' ? 'the call was given up' : GIVEN_UP })
  await whenIdle()
  expect(plugin.closedCount).toBe(1)
})

test('what is open only after the plugin was stopped is closed', async () => {
  const plugin = new SlowToOpen()
  const opened = plugin.open('runtime_1')
  await plugin.stop()
  plugin.opening[0]?.resolve()
  await expect(opened).rejects.toThrow(GIVEN_UP)
  expect(plugin.closedCount).toBe(1)
})

test('those that are being opened count as open, and no longer once they are given up', async () => {
  const plugin = new SlowToOpen()
  const opened = Array.from({ length: 100 }, (_, n) => plugin.open(`runtime_${n}`))
  await expect(plugin.open('runtime_more')).rejects.toThrow('it has 100 conversations open already')
  await plugin.close('runtime_0')
  const more = plugin.open('runtime_more')
  for (const { resolve } of plugin.opening) resolve()
  await expect(opened[0]).rejects.toThrow(GIVEN_UP)
  await Promise.all([more, ...opened.slice(1)])
})
