import { once } from 'node:events'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/harness/database.ts'
import { systemClock } from '../platform/clock.ts'
import { createLogger } from '../platform/logger.ts'
import { Doorbell } from './doorbell.ts'
import type { Heard, Notification } from './notification.ts'

const logger = createLogger({ level: 'silent', pretty: false })

let database: TestDatabase
let stack: AsyncDisposableStack
beforeEach(async () => {
  stack = new AsyncDisposableStack()
  database = stack.use(await createTestDatabase())
})
afterEach(() => stack.disposeAsync())

/** A process's doorbell, with what it heard. */
class Ear {
  readonly heard: Heard[] = []
  readonly bell: Doorbell
  #waiting: (() => void)[] = []

  constructor(bell: Doorbell) {
    this.bell = bell
    for (const kind of ['log', 'work', 'cancel', 'gone', 'resync'] as const) {
      bell.on(kind, (heard) => {
        this.heard.push(heard)
        for (const resume of this.#waiting.splice(0)) resume()
      })
    }
  }

  async until(accept: (heard: Heard) => boolean): Promise<void> {
    while (!this.heard.some(accept)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

async function openEar({ url = database.url, clock = systemClock } = {}): Promise<Ear> {
  const bell = new Doorbell({ url, logger, clock })
  stack.defer(() => bell.stop())
  const ear = new Ear(bell)
  await bell.start()
  return ear
}

async function admin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** The notifications of all processes in order: each wait begins where the one before ended. */
async function listen(): Promise<{ until(accept: (payload: string) => boolean): Promise<void> } & AsyncDisposable> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('LISTEN factotum_notifications')
  const payloads: string[] = []
  client.on('notification', ({ payload = '' }) => payloads.push(payload))
  const until = async (accept: (payload: string) => boolean): Promise<void> => {
    while (!payloads.some(accept)) await once(client, 'notification')
    payloads.splice(0, payloads.findIndex(accept) + 1)
  }
  return { until, [Symbol.asyncDispose]: () => client.end() }
}

const log = (sessionId: string, seq: number, list = false): Notification => ({
  kind: 'log',
  sessionId,
  seq,
  list,
})
const notificationsOf = (ear: Ear): Heard[] => ear.heard.filter(({ kind }) => kind !== 'resync')

describe('doorbell', () => {
  test('is heard here at once and elsewhere soon, never twice', async () => {
    const [here, there] = [await openEar(), await openEar()]
    here.bell.ring(log('a', 1))
    expect(notificationsOf(here)).toEqual([log('a', 1)])
    here.bell.ring({ kind: 'cancel', sessionId: 'a', turnId: 't' })
    here.bell.ring({ kind: 'gone', sessionId: 'a' })
    await there.until(({ kind }) => kind === 'gone')
    expect(notificationsOf(there)).toEqual([
      log('a', 1),
      { kind: 'cancel', sessionId: 'a', turnId: 't' },
      { kind: 'gone', sessionId: 'a' },
    ])
    // Our own notification has come back by now: the other's answer was sent after it.
    there.bell.ring(log('b', 1))
    await here.until((heard) => heard.kind === 'log' && heard.sessionId === 'b')
    expect(notificationsOf(here)).toHaveLength(4)
  })

  test('work that is taken here is not told elsewhere', async () => {
    const [here, there] = [await openEar(), await openEar()]
    const stop = here.bell.on('work', ({ sessionId }): boolean => sessionId === 'mine')
    here.bell.ring({ kind: 'work', sessionId: 'mine' })
    here.bell.ring({ kind: 'work', sessionId: 'yours' })
    await there.until(({ kind }) => kind === 'work')
    expect(notificationsOf(there)).toEqual([{ kind: 'work', sessionId: 'yours' }])
    stop()
    here.bell.ring({ kind: 'work', sessionId: 'mine' })
    await there.until((heard) => heard.kind === 'work' && heard.sessionId === 'mine')
  })

  test('many rings are few notifications: the newest seq of each session, whether a list changed in any', async () => {
    const [here, there] = [await openEar(), await openEar()]
    for (let seq = 1; seq <= 1000; seq += 1) for (const id of ['a', 'b']) here.bell.ring(log(id, seq, seq === 500))
    await there.until((heard) => heard.kind === 'log' && heard.sessionId === 'b' && heard.seq === 1000)
    expect(notificationsOf(there).length).toBeLessThan(20)
    for (const id of ['a', 'b']) {
      const last = there.heard.findLast((heard) => heard.kind === 'log' && heard.sessionId === id)
      expect(last).toMatchObject({ seq: 1000 })
      expect(there.heard.some((heard) => heard.kind === 'log' && heard.sessionId === id && heard.list)).toBe(true)
    }
  })

  test('more notification than one notification holds goes in several', async () => {
    const [here, there] = [await openEar(), await openEar()]
    const ids = Array.from({ length: 500 }, (_, n) => `${'x'.repeat(250)}${n}`)
    for (const id of ids) here.bell.ring(log(id, 1))
    await there.until((heard) => heard.kind === 'log' && heard.sessionId === ids.at(-1))
    expect(notificationsOf(there).map((heard) => heard.kind === 'log' && heard.sessionId)).toEqual(ids)
  })

  test('a handler that fails keeps no other from being notified', async () => {
    const here = await openEar()
    here.bell.on('log', () => {
      throw new Error('broken')
    })
    const heard: Heard[] = []
    here.bell.on('log', (notification) => void heard.push(notification))
    here.bell.ring(log('a', 1))
    expect(heard).toEqual([log('a', 1)])
  })

  test('a process that is alone notifies none, until another comes, which is notified to poll', async () => {
    let endPause = new AbortController()
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
      signal === undefined
        ? systemClock.sleep(ms)
        : systemClock.sleep(3_600_000, AbortSignal.any([signal, endPause.signal]))
    const lonely = await openEar({ clock: { ...systemClock, sleep } })
    await using listener = await listen()
    lonely.bell.ring(log('a', 1))
    await listener.until((payload) => payload.includes('"a"'))
    // No process has answered the first greeting when the second is sent.
    const pause = endPause
    endPause = new AbortController()
    pause.abort()
    await listener.until((payload) => payload.includes('hello'))
    lonely.bell.ring(log('b', 1))

    const other = await openEar()
    await other.until(({ kind }) => kind === 'resync' && other.heard.length > 1)
    lonely.bell.ring(log('c', 1))
    await other.until((heard) => heard.kind === 'log' && heard.sessionId === 'c')
    expect(notificationsOf(other)).toEqual([log('c', 1)])
    expect(notificationsOf(lonely)).toEqual([log('a', 1), log('b', 1), log('c', 1)])
  })

  test('connects again, tells that notification may have been missed, and passes on what waited', async () => {
    const [here, there] = [await openEar(), await openEar()]
    const resyncs = (ear: Ear): number => ear.heard.filter(({ kind }) => kind === 'resync').length
    // Connected, and met.
    for (const ear of [here, there]) await ear.until(() => resyncs(ear) === 2)
    await admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'factotum doorbell'
      AND datname = current_database()`)
    here.bell.ring(log('a', 7))
    // Either may reconnect first: one gets what the other has kept, or 'resync', on which it reads the log.
    for (const ear of [here, there]) await ear.until(() => resyncs(ear) >= 3)
    here.bell.ring(log('a', 8))
    await there.until((heard) => heard.kind === 'log' && heard.seq === 8)
    expect(notificationsOf(there).at(-1)).toEqual(log('a', 8))
  })

  test('starts without a database, and rings do no harm', async () => {
    const bell = new Doorbell({ url: 'postgresql://nobody@127.0.0.1:1/none', logger, clock: systemClock })
    await bell.start()
    const heard: Heard[] = []
    bell.on('log', (notification) => void heard.push(notification))
    for (let n = 0; n < 20_000; n += 1) bell.ring(log(`s${n}`, 1))
    expect(heard).toHaveLength(20_000)
    await bell.stop()
  })

  test('what another program notifies on the channel does no harm', async () => {
    const here = await openEar()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('LISTEN factotum_notifications')
    const echo = once(client, 'notification')
    for (const payload of [
      '',
      'nonsense',
      '{}',
      '[]',
      'null',
      '{"notifications":[{"kind":"shout"}]}',
      '{"notifications":7}',
    ]) {
      await client.query('SELECT pg_notify($1, $2)', ['factotum_notifications', payload])
    }
    await echo
    here.bell.ring(log('a', 1))
    await client.end()
    const other = await openEar()
    here.bell.ring(log('a', 2))
    await other.until((heard) => heard.kind === 'log' && heard.seq === 2)
    expect(notificationsOf(here)).toEqual([log('a', 1), log('a', 2)])
  })
})
