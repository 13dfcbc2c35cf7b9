/**
 * An import over HTTP that the database keeps waiting: its connection is not idle, and it does not wait for ever. One
 * that is refused in the middle leaves no file open.
 */
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock, type Clock } from '../../src/platform/clock.ts'
import { createTemporaryHome, type TemporaryHome } from '../harness/temporary-home.ts'
import { createDoorWorld, createSession, tokenOf, type Door, type DoorWorld } from './door-world.ts'

/** Long enough for all that is not held up, on a busy machine, too. */
const IDLE_MS = 5000
/** What the import may take, and nothing else here. */
const DEADLINE_MS = 300_000
/** What ends it, as the last deadline would that was set. */
let endTime: () => void = () => undefined
const clock: Clock = {
  ...systemClock,
  after: (ms, action) => {
    if (ms === DEADLINE_MS) endTime = action
    return systemClock.after(ms, action)
  },
}

let home: TemporaryHome
let world: DoorWorld
let door: Door
let exported: string
beforeAll(async () => {
  home = await createTemporaryHome()
  world = await createDoorWorld()
  door = await world.openDoor({ idleMs: IDLE_MS, clock, home: home.path })
  await createSession(door.database, 'cli:slow', ['alice'])
  exported = await (await ask('cli%3Aslow/export')).text()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await home.remove()
})

/** Over a connection of its own: one that is kept may have just been cut as idle. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = { authorization: `Bearer ${tokenOf('alice')}`, connection: 'close' }
  return fetch(`${door.url}/sessions/${path}`, { ...init, headers })
}

/** Until it is disposed of, nothing is inserted into `sessions`. */
async function lockSessions(): Promise<AsyncDisposable> {
  const client = new pg.Client({ connectionString: world.testDatabase.url })
  await client.connect()
  await client.query('BEGIN; LOCK TABLE sessions IN SHARE MODE')
  return { [Symbol.asyncDispose]: () => client.end() }
}

async function importsThat(where: string): Promise<number> {
  const text = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'factotum session' AND ${where}`
  return (await door.database.query({ name: '', text }, [])).length
}

/** Resolves when it waits for the lock. */
async function beginImport(as: string): Promise<{ readonly answer: Promise<Response> }> {
  const answer = ask(`import?as=${as}`, { method: 'POST', body: exported })
  answer.catch(() => undefined) // the test awaits it later
  await expect.poll(() => importsThat("wait_event_type = 'Lock'")).toBe(1)
  return { answer }
}

test('one that waits longer than a connection may be idle is answered', async () => {
  const lock = await lockSessions()
  const { answer } = await beginImport('web:copy')
  // Another connection that is idle from now on is cut.
  await once(connect(door.server.port, '127.0.0.1').resume(), 'close')
  await lock[Symbol.asyncDispose]()
  const { status } = await answer
  expect(status).toBe(201)
})

test('one that waits for too long is refused, and nothing is stored', async () => {
  const lock = await lockSessions()
  const { answer } = await beginImport('web:late')
  endTime()
  const { status, body } = await answer.then(async (one) => ({ status: one.status, body: await one.text() }))
  expect([status, JSON.parse(body)]).toEqual([
    413,
    {
      code: 'LIMIT_EXCEEDED',
      problem:
        'The import took longer than 5 minutes, so nothing was stored. Import it with "factotum session import".',
    },
  ])
  await lock[Symbol.asyncDispose]()
  await expect.poll(() => importsThat('true')).toBe(0)
  expect((await ask('web%3Alate/export')).status).toBe(404)
  expect((await ask('import?as=web:late', { method: 'POST', body: exported })).status).toBe(201)
})

test('one that is refused in the middle of a long file does not keep it open', async () => {
  const [header = '', ...lines] = exported.split('\n')
  const long = [header, '{"type":"song"}', ...lines, '\n'.repeat(1024 * 1024)].join('\n')
  expect((await ask('import?as=web:wrong', { method: 'POST', body: long })).status).toBe(400)
  await expect.poll(openUploads).toEqual([])
})

function openUploads(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`)
      return path.includes('.upload-') ? [path] : []
    } catch {
      return [] // it was closed meanwhile
    }
  })
}
