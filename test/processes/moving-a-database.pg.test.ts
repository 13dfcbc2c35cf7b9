/** From the embedded PostgreSQL of a laptop to one of its own: `factotum backup` and `move-to`, called as people do. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { Cluster, clientOf } from '../harness/cluster.ts'
import { createTestDatabase } from '../harness/database.ts'
import { serverProgram } from '../harness/server-program.ts'
import { converse, Story } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

interface Ended {
  readonly code: number
  readonly said: string
}

/** Beside the server of this home, or without one. */
async function factotum(home: string, ...args: string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'], FACTOTUM_HOME: home }
  return promisify(execFile)(process.execPath, [await serverProgram(), ...args], { env }).then(
    ({ stderr }) => ({ code: 0, said: stderr }),
    (error: unknown) => {
      const { code, stderr } = error as { code: number; stderr: string }
      return { code, said: stderr }
    },
  )
}

test('an embedded server is backed up while it works, and moved once it is stopped: all is there, and goes on', async () => {
  await using cluster = await Cluster.begin({ embedded: true })
  await using target = await createTestDatabase({ migrated: false })
  await using copyHome = await createTemporaryHome()
  const server = await cluster.start()
  await converse(clientOf(server, 'ada'), 'cli:kept', 'run: echo from the laptop')
  const file = join(copyHome.path, 'laptop.backup')
  expect(await factotum(cluster.home, 'backup', file)).toMatchObject({
    code: 0,
    said: expect.stringContaining(`Backed up to ${file}`),
  })
  expect(await factotum(cluster.home, 'move-to', target.url)).toMatchObject({
    code: 1,
    said: expect.stringContaining('A server works on this database. Stop it first'),
  })
  server.signal('SIGTERM')
  expect(await server.ended).toMatchObject({ code: 0 })

  const moved = await factotum(cluster.home, 'move-to', target.url)
  expect(moved).toMatchObject({ code: 0, said: expect.stringMatching(/Restored \d+ rows[^]*DATABASE_URL into \.env/) })
  expect(await factotum(cluster.home, 'move-to', target.url)).toMatchObject({
    code: 1,
    said: expect.stringContaining('The database is not empty'),
  })
  const there = await cluster.start({ databaseUrl: target.url })
  const ada = clientOf(there, 'ada')
  const turn = await converse(ada, 'cli:kept', 'run: echo from the new database')
  expect(turn).toMatchObject({ status: 'DONE', tasks: [{ output: 'from the new database\n' }, {}] })
  const history = await ada.session('cli:kept').history({ last: 100 })
  expect(history.entries.map(({ content }) => content).join('\n')).toContain('from the laptop')

  await using restored = await createTestDatabase({ migrated: false })
  const logger = createLogger({ level: 'silent', pretty: false })
  const place = { databaseUrl: restored.url, home: copyHome.path, clock: systemClock, logger, print: () => undefined }
  await runBackupCommand({ do: 'restore', file }, place)
  await using story = await Story.begin({ databaseUrl: restored.url })
  const entries = (await story.as('ada').session('cli:kept').history({ last: 100 })).entries
  expect(entries.map(({ content }) => content).join('\n')).toContain('from the laptop')
})
