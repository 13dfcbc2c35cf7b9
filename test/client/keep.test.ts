/** Which stores and lists of a client stay, and which are given up. Nothing answers: asking for one sends nothing. */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { connect, sessionStore, type FactotumClient } from '../../packages/client/src/connect.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
})

function openClient(): FactotumClient {
  // Port 9 discards.
  const client = connect({ url: 'http://127.0.0.1:9', token: 't', patienceMs: 1 })
  onTestFinished(() => client.close())
  return client
}

/** As a page that opens one session after another. */
function openThousand(client: FactotumClient) {
  const stores = Array.from({ length: 1000 }, (_, n) => sessionStore(client, `web:${n}`))
  return stores
}

test('of a thousand sessions that were opened one after another the last ones stay, and each is one until then', async () => {
  const client = openClient()
  const stores = openThousand(client)
  const [first] = stores
  expect(sessionStore(client, 'web:0')).toBe(first)
  await vi.advanceTimersByTimeAsync(1000)
  expect(sessionStore(client, 'web:0')).toBe(first)
  expect(sessionStore(client, 'web:999')).toBe(stores[999])
  expect(sessionStore(client, 'web:951')).toBe(stores[951])
  const again = sessionStore(client, 'web:950')
  expect(again).not.toBe(stores[950])
  expect(again.getSnapshot()).toMatchObject({ status: 'loading', entries: [] })
})

test('what is listened to, and a message that did not arrive, are never given up', async () => {
  const client = openClient()
  const shown = sessionStore(client, 'web:shown')
  const leave = shown.subscribe(() => {})
  const list = client.sessions({ search: 'shown' })
  const leaveList = list.subscribe(() => {})
  const unsent = sessionStore(client, 'web:unsent')
  void unsent.send('Is there anyone?').catch(() => {})
  openThousand(client)
  await vi.advanceTimersByTimeAsync(1000)
  expect(sessionStore(client, 'web:shown')).toBe(shown)
  expect(client.sessions({ search: 'shown' })).toBe(list)
  expect(sessionStore(client, 'web:unsent')).toBe(unsent)
  leave()
  leaveList()
})

test('lists to which nothing listens are given up as stores are', async () => {
  const client = openClient()
  const lists = Array.from({ length: 60 }, (_, n) => client.sessions({ search: `${n}` }))
  expect(client.sessions({ search: '0' })).toBe(lists[0])
  expect(client.approvals()).not.toBe(client.facts())
  await vi.advanceTimersByTimeAsync(1000)
  expect(client.sessions({ search: '1' })).not.toBe(lists[1])
  expect(client.sessions({ search: '59' })).toBe(lists[59])
})
