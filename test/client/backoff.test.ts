/** How the pauses between tries grow, and when they are short again. */
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ClientError, connect, sessionStore } from '../../packages/client/src/connect.ts'
import { keepTrying } from '../../packages/client/src/keep-trying.ts'
import { pause } from '../../packages/client/src/pause.ts'
import { SessionLog } from './session-log.ts'
import { SessionServer } from './session-server.ts'

function fake(...clocks: readonly ('performance' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake: [...clocks] })
  onTestFinished(() => void vi.useRealTimers())
}

/** The pauses behind attempts which last for that long before the server's error ends them. */
async function pausesAfter(lastingMs: readonly number[]): Promise<number[]> {
  const client = connect({ url: 'http://127.0.0.1:9', token: 't' })
  const { signal } = new AbortController()
  const pauses: number[] = []
  const left = [...lastingMs]
  let failedAt: number | null = null
  const attempt = async (): Promise<void> => {
    if (failedAt !== null) pauses.push(performance.now() - failedAt)
    const ms = left.shift()
    if (ms === undefined) return
    await pause(ms, signal)
    failedAt = performance.now()
    throw new ClientError('INTERNAL_SERVER_ERROR', 'Broken.')
  }
  const trying = keepTrying(attempt, { client, signal, fail: () => {} })
  await vi.runAllTimersAsync()
  await trying
  client.close()
  return pauses
}

test('pauses grow while attempts fail at once, and are short again after one that stood', async () => {
  fake('setTimeout', 'clearTimeout', 'performance')
  const pauses = await pausesAfter([0, 0, 0, 0, 0, 0, 0, 60_000, 0])
  expect(pauses[6]).toBeGreaterThanOrEqual(5000)
  expect(pauses[7]).toBeLessThanOrEqual(201)
  expect(pauses[8]).toBeLessThanOrEqual(401)
})

test.each([
  { code: 'INTERNAL_SERVER_ERROR', failsAfterUpdate: false, when: 'at once' },
  { code: 'DATABASE_UNAVAILABLE', failsAfterUpdate: false, when: 'at once' },
  { code: 'DATABASE_UNAVAILABLE', failsAfterUpdate: true, when: 'right after an update' },
])(
  'a session whose subscription ends with $code $when each time is asked for less and less often',
  async ({ code, failsAfterUpdate }) => {
    fake('setTimeout', 'clearTimeout')
    using server = await SessionServer.start(new SessionLog())
    server.failure = code
    server.failsAfterUpdate = failsAfterUpdate
    const client = connect({ url: server.url, token: 't' })
    onTestFinished(() => client.close())
    sessionStore(client, 'web:broken').subscribe(() => {})
    const pausedMs = [0]
    while (server.followedCount < 8) {
      await vi.advanceTimersByTimeAsync(50)
      await setImmediate()
      pausedMs[server.followedCount] = (pausedMs[server.followedCount] ?? 0) + 50
    }
    expect(pausedMs[7]).toBeGreaterThanOrEqual(4950)
  },
)
