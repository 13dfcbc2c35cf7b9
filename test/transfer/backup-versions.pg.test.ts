/** A backup of an older version is brought up to date; one of a newer version is refused. */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrationNames } from '../../src/store/connection/migrate.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { restoreBackup, type Restored } from '../../src/transfer/backup/restore-backup.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { createTestDatabase } from '../harness/database.ts'
import { openBefore } from '../harness/older-database.ts'
import { select } from '../harness/plugins.ts'
import { converse, Story } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { FILLED, fillOlder } from '../store/fill-older.sql.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }

function copy(from: string, to: string): Promise<Restored> {
  const at = systemClock.now()
  const frames = writeBackup({ databaseUrl: from, home: '', folders: [], version: '0.0.1', at })
  return restoreBackup(frames, { ...services, databaseUrl: to, home: null })
}

const queried = (databaseUrl: string, sql: string): Promise<readonly Record<string, unknown>[]> =>
  select({ databaseUrl }, sql)

const APPLIED = 'SELECT migration_name AS name FROM _prisma_migrations ORDER BY migration_name'

test('of an older version: all its rows, under the schema of this one, and a server goes on with them', async () => {
  await using older = await openBefore('20261122221000_quotas')
  await older.client.query(fillOlder)
  await using target = await createTestDatabase({ migrated: false })
  const { header } = await copy(older.url, target.url)
  expect(header.migrations).not.toContain('20261122221000_quotas')
  const applied = await queried(target.url, APPLIED)
  expect(applied.map(({ name }) => name)).toEqual((await migrationNames()).toSorted())
  const counted = 'SELECT count(*)::int AS sessions FROM sessions'
  expect(await queried(target.url, counted)).toEqual([{ sessions: FILLED.sessions }])
  await using story = await Story.begin({ databaseUrl: target.url })
  expect(await converse(story.as('ada'), 'cli:old-2', 'run: echo it goes on')).toMatchObject({ status: 'DONE' })
})

const OF_TOMORROW = `
  INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
    VALUES ('next', 'x', '99990101000000_of_tomorrow', now(), now(), 1)`

test('of a newer version: refused, and nothing is made', async () => {
  await using source = await createTestDatabase()
  await queried(source.url, OF_TOMORROW)
  await using target = await createTestDatabase({ migrated: false })
  await expect(copy(source.url, target.url)).rejects.toThrow(
    'The backup is of version 0.0.1, which has 1 migrations that this one does not know',
  )
  const tables = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
  expect(await queried(target.url, tables)).toEqual([])
})

/** Of as many pieces, which packed take an eighth, as rows do. */
const likeRows = (pieces: number): Buffer[] =>
  Array.from({ length: pieces }, () => Buffer.concat([randomBytes(256), Buffer.alloc(2048)]))

test('the command refuses it, too, when the end of the file is read by then and not unpacked', async () => {
  await using source = await createTestDatabase()
  await queried(source.url, OF_TOMORROW)
  await using target = await createTestDatabase({ migrated: false })
  await using home = await createTemporaryHome()
  const file = join(home.path, 'backup')
  await mkdir(join(home.path, 'pub'))
  const options = { ...services, home: home.path, print: () => {} }
  for (const pieces of [0, 260, 320, 380, 1000]) {
    await writeFile(join(home.path, 'pub', 'published'), likeRows(pieces))
    await runBackupCommand(
      { do: 'backup', file, files: true, workspaces: false },
      { ...options, databaseUrl: source.url },
    )
    const restoring = runBackupCommand({ do: 'restore', file }, { ...options, databaseUrl: target.url })
    await expect(restoring).rejects.toThrow('which has 1 migrations that this one does not know')
  }
})
