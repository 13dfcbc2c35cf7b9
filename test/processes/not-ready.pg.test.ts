/**
 * A server that runs, but could not do its work: /ready says 503, so that nothing is sent there, and 200 again when it
 * can.
 */
import { mkdir, rename, rm } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ServerDocument } from '../generated/graphql.ts'
import { askOperators } from '../harness/ask-operators.ts'
import { clientOf, Cluster } from '../harness/cluster.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { SmallDiskPostgres } from '../harness/small-disk-postgres.ts'
import { eventsOf, send, turnEnd, watchAll } from '../harness/story.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'

const LOST = 'FACTOTUM_HOME cannot be used: commands and files fail until it can'
const FOUND = 'FACTOTUM_HOME can be used again'

const readiness = async (server: ServerProcess): Promise<number> => (await fetch(`${server.url}/ready`)).status

test('a home that vanishes, or is another one, while the server runs', async () => {
  await using cluster = await Cluster.begin()
  const server = await cluster.start()
  expect(await readiness(server)).toBe(200)
  const aside = `${cluster.home}-aside`
  await rename(cluster.home, aside)
  expect(await server.logged(LOST)).toMatchObject({ problem: `${cluster.home} is not there any more` })
  expect(await readiness(server)).toBe(503)
  expect(await (await askOperators(server.url, '/metrics')).text()).toMatch(/^factotum_home_usable 0$/m)
  await mkdir(cluster.home)
  await server.logged(LOST, ({ problem }) => String(problem).includes('another folder'))
  expect(await readiness(server)).toBe(503)
  await rm(cluster.home, { recursive: true })
  await rename(aside, cluster.home)
  await server.logged(FOUND)
  expect(await readiness(server)).toBe(200)
})

test('a message that is accepted while the home is gone waits for it and then runs', async () => {
  await using cluster = await Cluster.begin()
  const server = await cluster.start()
  const ada = clientOf(server, 'ada')
  const aside = `${cluster.home}-aside`
  await rename(cluster.home, aside)
  await server.logged(LOST)
  await send(ada, 'cli:gone', 'run: echo found')
  await using watch = watchAll(ada, 'cli:gone')
  await watch.until(({ sessionEvents: event }) => event.__typename === 'MessageReceivedEvent')
  const { server: states } = await ada.run(ServerDocument)
  expect(states).toMatchObject({ runningTurns: 0, queuedTurns: 1 })
  await rename(aside, cluster.home)
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  const [last] = eventsOf(watch, 'TaskOutputEvent')
  expect(last).toMatchObject({ text: 'found\n' })
})

const NEWER = 'the schema is of a newer version: /ready answers 503, and turns go on here; start that version'

test('a schema that is newer than the code', async () => {
  await using cluster = await Cluster.begin()
  const server = await cluster.start()
  await cluster.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '99991231000000_newer', now())`,
  )
  expect([await readiness(server), await readiness(server)]).toEqual([503, 503])
  await server.logged(NEWER, ({ newer }) => newer === '99991231000000_newer')
  expect(server.logs.filter(({ msg }) => msg === NEWER)).toHaveLength(1)
  await cluster.query(`DELETE FROM _prisma_migrations WHERE id = 'x'`)
  expect(await readiness(server)).toBe(200)
})

test('what a column is missing for beside a newer schema, clients send again, and it comes about once', async () => {
  await using cluster = await Cluster.begin()
  const server = await cluster.start()
  const ada = clientOf(server, 'ada')
  await cluster.query('ALTER TABLE messages RENAME COLUMN attachments TO files')
  const sending = ada.session('cli:newer').send('run: echo once')
  await server.logged('an operation failed', ({ err }) => JSON.stringify(err).includes('schema of another version'))
  await cluster.query('ALTER TABLE messages RENAME COLUMN files TO attachments')
  await sending
  await using watch = watchAll(ada, 'cli:newer')
  expect(await turnEnd(watch)).toMatchObject({ turnStatus: 'DONE' })
  expect(eventsOf(watch, 'MessageReceivedEvent')).toHaveLength(1)
})

const sandbox = await findSandbox()

describe.skipIf(!sandbox.available)(`on small disks${skipReason(sandbox)}`, () => {
  test('the disk of the database is full', async () => {
    await using cluster = await Cluster.begin()
    await using postgres = await SmallDiskPostgres.start(cluster.home)
    const server = await cluster.start({ databaseUrl: postgres.url })
    expect(await readiness(server)).toBe(200)
    await postgres.fill()
    expect(await readiness(server)).toBe(503)
    await postgres.clear()
    expect(await readiness(server)).toBe(200)
  })
})
