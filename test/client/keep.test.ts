/** Which stores and lists of a client stay, and which are given up. Nothing answers: asking for one sends nothing. */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { connect, sessionStore, type FactotumClient } from '../../packages/client/src/connect.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function openClient(): FactotumClient {
  // Port 9 discards.
  const client = connect({ url: 'http://127.0.0.1:9', token: 't', patienceMs: 1 })
  onTestFinished(() => client.close())
  return client
}

/** As a page that opens one session after another, and has none of them any more. */
function openThousand(client: FactotumClient): WeakRef<object>[] {
  return Array.from({ length: 1000 }, (_, n) => new WeakRef(sessionStore(client, `web:${n}`)))
}

/** How many are there after the garbage was collected. What this turn of the loop has asked for stays until its end. */
async function countOf(made: readonly WeakRef<object>[]): Promise<number> {
  await setImmediate()
  collectGarbage()
  return made.filter((one) => one.deref() !== undefined).length
}

test('of a thousand sessions that were opened one after another the last fifty stay', async () => {
  const client = openClient()
  const stores = openThousand(client)
  await expect.poll(() => countOf(stores)).toBe(50)
  expect(await countOf(stores.slice(-50))).toBe(50)
  expect(sessionStore(client, 'web:999')).toBe(stores[999]?.deref())
  expect(sessionStore(client, 'web:0').getSnapshot()).toMatchObject({ status: 'loading', entries: [] })
})

test('what is listened to, and a message that did not arrive, are never given up', async () => {
  const client = openClient()
  const shown = sessionStore(client, 'web:shown')
  const leave = shown.subscribe(() => {})
  const list = client.sessions({ search: 'shown' })
  const leaveList = list.subscribe(() => {})
  const unsent = new WeakRef(sessionStore(client, 'web:unsent'))
  expect(await unsent.deref()?.send('Is it there?')).toMatchObject({ code: 'UNREACHABLE' })
  const others = openThousand(client).slice(0, 900)
  await expect.poll(() => countOf(others)).toBe(0)
  expect(sessionStore(client, 'web:shown')).toBe(shown)
  expect(client.sessions({ search: 'shown' })).toBe(list)
  expect(sessionStore(client, 'web:unsent').getSnapshot().entries).toMatchObject([{ content: 'Is it there?' }])
  leave()
  leaveList()
})

test('what a page still has is never made twice, however many were asked for since', async () => {
  const client = openClient()
  const store = sessionStore(client, 'web:held')
  const list = client.sessions({ search: 'held' })
  const others = openThousand(client).slice(0, 900)
  await expect.poll(() => countOf(others)).toBe(0)
  expect(sessionStore(client, 'web:held')).toBe(store)
  expect(client.sessions({ search: 'held' })).toBe(list)
})

test('lists to which nothing listens are given up as stores are', async () => {
  const client = openClient()
  const lists = Array.from({ length: 60 }, (_, n) => new WeakRef(client.sessions({ search: `${n}` })))
  expect(client.approvals()).not.toBe(client.facts())
  await expect.poll(() => countOf(lists)).toBe(48)
  expect(client.sessions({ search: '59' })).toBe(lists[59]?.deref())
})
