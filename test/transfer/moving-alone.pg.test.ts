/** `factotum move-to` and a server on the same database: one of them says that it does not go on, and what to do. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { createTestDatabase } from '../harness/database.ts'
import { select } from '../harness/plugins.ts'
import { Story } from '../harness/story.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }), home: '' }

/** As a process that migrates the database holds it: what is to be copied there waits. */
const LOCK_MIGRATIONS = 'SELECT pg_advisory_lock(72707369)'

/** The copy has begun, and waits for the target. */
async function beginMove(source: string, target: string) {
  const holder = new pg.Client({ connectionString: target })
  await holder.connect()
  await holder.query(LOCK_MIGRATIONS)
  const said: string[] = []
  const action = { do: 'move-to', databaseUrl: target } as const
  const moved = runBackupCommand(action, { ...services, databaseUrl: source, print: (line) => void said.push(line) })
  const ended = moved.then(
    () => null,
    (error: unknown) => error,
  )
  const waiting =
    "SELECT FROM pg_stat_activity WHERE application_name = 'factotum migrate' AND datname = current_database()"
  await expect.poll(() => select({ databaseUrl: target }, waiting), { timeout: 20_000 }).toHaveLength(1)
  return { said, goOn: () => holder.end(), ended }
}

test('a server that is started while its database is copied ends and says what to do; the copy goes on', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase({ migrated: false })
  const move = await beginMove(source.url, target.url)
  await expect(Story.begin({ databaseUrl: source.url })).rejects.toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    message: expect.stringMatching(
      /^This database is being copied to another one \(factotum move-to\).* write the new address as DATABASE_URL/,
    ),
  })
  await move.goOn()
  expect(await move.ended).toBeNull()
  expect(move.said.join('\n')).toMatch(/Restored \d+ rows/)
  await using _started = await Story.begin({ databaseUrl: source.url })
})

test('one that shows only while its database is copied lets nothing of the copy stay', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase({ migrated: false })
  const move = await beginMove(source.url, target.url)
  const late = new pg.Client({ connectionString: source.url, application_name: 'factotum doorbell' })
  await late.connect()
  await move.goOn()
  expect(await move.ended).toMatchObject({
    code: 'TRANSFER_REFUSED',
    message: 'A server works on this database. Stop it first, and wait 15 s.',
  })
  await late.end()
  const again = await beginMove(source.url, target.url)
  await again.goOn()
  expect(await again.ended).toBeNull()
})

test('a database whose server is paused is not copied either', async () => {
  await using story = await Story.begin({ paused: true })
  await using target = await createTestDatabase({ migrated: false })
  const action = { do: 'move-to', databaseUrl: target.url } as const
  const move = runBackupCommand(action, { ...services, databaseUrl: story.databaseUrl, print: () => undefined })
  await expect(move).rejects.toMatchObject({
    code: 'TRANSFER_REFUSED',
    message: expect.stringMatching(/^A server works on/),
  })
})
