/** A long conversation on a page, whose oldest entries are dropped while older ones are under way to it. */
import { expect, test } from 'vitest'
import { connect, sessionStore, type SessionState } from '../../packages/client/src/connect.ts'
import { SessionLog } from './session-log.ts'
import { SessionServer } from './session-server.ts'

function talk(log: SessionLog, times: number): void {
  for (let n = 0; n < times; n += 1) for (const step of ['send', 'begin', 'complete', 'end'] as const) log.take(step)
}

function seqsOf({ entries }: SessionState): unknown[] {
  return entries.map(({ seq }) => seq)
}

/** The newest of the log, as many as are shown. */
function newestOf(log: SessionLog, state: SessionState): unknown[] {
  return log
    .conversation()
    .slice(-state.entries.length)
    .map(({ seq }) => seq)
}

test('an older page that comes after the oldest entries were dropped leaves no gap, and can be read again', async () => {
  const log = new SessionLog()
  talk(log, 30)
  using server = await SessionServer.start(log)
  const client = connect({ url: server.url, token: 't' })
  const store = sessionStore(client, 'web:long')
  const leave = store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'ready', hasOlder: true })
  const loading = store.loadOlder()
  await server.asked

  for (let n = 0; n < 100; n += 1) {
    talk(log, 10)
    server.flush()
    await expect
      .poll(() => store.getSnapshot().entries.at(-1)?.seq, { interval: 1 })
      .toBe(log.conversation().at(-1)?.seq)
  }
  const dropped = store.getSnapshot()
  expect(dropped.entries.length).toBeLessThan(2000)
  server.release()
  await loading
  expect(seqsOf(store.getSnapshot())).toEqual(newestOf(log, store.getSnapshot()))
  expect(store.getSnapshot()).toMatchObject({ hasOlder: true, isLoadingOlder: false })
  await store.loadOlder()
  expect(store.getSnapshot().entries.length).toBeGreaterThan(dropped.entries.length)
  expect(seqsOf(store.getSnapshot())).toEqual(newestOf(log, store.getSnapshot()))
  leave()
  client.close()
})

test('what is read back to at once is whole, and is not dropped for what comes next', async () => {
  const log = new SessionLog()
  talk(log, 1200)
  using server = await SessionServer.start(log)
  server.release()
  const client = connect({ url: server.url, token: 't' })
  const store = sessionStore(client, 'web:found')
  const leave = store.subscribe(() => {})
  await expect.poll(() => store.getSnapshot()).toMatchObject({ status: 'ready', hasOlder: true })
  const [first, second] = log.conversation()
  await store.loadBackTo(second?.seq ?? 0)
  const readBack = store.getSnapshot()
  expect(seqsOf(readBack)).toContain(second?.seq)
  talk(log, 1)
  server.flush()
  await expect.poll(() => store.getSnapshot().entries.at(-1)?.seq).toBe(log.conversation().at(-1)?.seq)
  expect(seqsOf(store.getSnapshot())).toEqual(newestOf(log, store.getSnapshot()))
  expect(store.getSnapshot().entries.length).toBeGreaterThan(readBack.entries.length)
  await store.loadBackTo(0)
  expect(store.getSnapshot()).toMatchObject({ hasOlder: false, entries: { length: log.conversation().length } })
  expect(store.getSnapshot().entries[0]?.seq).toBe(first?.seq)
  leave()
  client.close()
})
