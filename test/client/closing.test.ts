/** What a client leaves behind when it is closed: no timer, so that a script of Node ends at once. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { connect, sessionStore } from '../../packages/client/src/connect.ts'

/** As long as listeners are called at most once. */
const NOTIFY_MS = 16

test('no timer of stores and lists outlives their client: not those of tries, nor of what nothing listens to', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  // Port 9 discards.
  const client = connect({ url: 'http://127.0.0.1:9', token: 't', patienceMs: 1 })
  const [tried, left] = [sessionStore(client, 'web:tried'), sessionStore(client, 'web:left')]
  const [triedList, leftList] = [client.sessions(), client.approvals()]
  for (const one of [tried, triedList]) one.subscribe(() => {})
  for (const one of [left, leftList]) one.subscribe(() => {})()
  await expect.poll(() => tried.getSnapshot().status).toBe('failed')
  client.close()
  await vi.advanceTimersByTimeAsync(NOTIFY_MS)
  expect(vi.getTimerCount()).toBe(0)
})
