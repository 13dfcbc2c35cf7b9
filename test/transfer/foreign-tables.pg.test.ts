/** Tables in the schema of Factotum that no migration made: an operator's, or those of an extension. */
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrationNames, tablesAfter } from '../../src/store/connection/migrate.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { lineOf, type BackupFrame, type BackupHeader } from '../../src/transfer/backup/backup-format.ts'
import { LeftOut } from '../../src/transfer/backup/left-out.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { createTestDatabase } from '../harness/database.ts'
import { select } from '../harness/plugins.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }

const queried = (databaseUrl: string, sql: string): Promise<readonly Record<string, unknown>[]> =>
  select({ databaseUrl }, sql)

const TABLES = `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`

test('the tables that migrations make are those of a database that has them', async () => {
  await using database = await createTestDatabase()
  const there = (await queried(database.url, TABLES)).map(({ name }) => String(name))
  const made = await tablesAfter(await migrationNames())
  expect([...(made ?? []), '_prisma_migrations'].toSorted()).toEqual(there.toSorted())
})

test('are left out of a backup, which says so, and it is restored', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase({ migrated: false })
  await using home = await createTemporaryHome()
  await queried(source.url, 'CREATE TABLE public.mine (x int); INSERT INTO mine VALUES (1)')
  const said: string[] = []
  const options = { ...services, home: home.path, print: (line: string): void => void said.push(line) }
  const file = `${home.path}/backup`
  await runBackupCommand(
    { do: 'backup', file, files: false, workspaces: false },
    { ...options, databaseUrl: source.url },
  )
  expect(said).toContain('Left out, because they are no tables of Factotum, 1: "mine".')
  await runBackupCommand({ do: 'restore', file }, { ...options, databaseUrl: target.url })
  expect(said).toContainEqual(expect.stringMatching(/^Restored \d+ rows/))
  expect((await queried(target.url, TABLES)).map(({ name }) => name)).not.toContain('mine')
})

/** As a version wrote it that copied every table. */
async function* withMine(frames: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let isFirst = true
  for await (const frame of frames) {
    const line = frame.toString()
    if (isFirst) {
      const header = JSON.parse(line) as BackupHeader
      yield lineOf({ ...header, tables: [...header.tables, { name: 'mine', columns: ['x'] }] })
    } else if (line.startsWith('{"end"')) {
      const { rows } = JSON.parse(line) as Extract<BackupFrame, { end: true }>
      yield lineOf({ table: 'mine', bytes: 4 })
      yield Buffer.from('1\n2\n')
      yield lineOf({ end: true, rows: { ...rows, mine: 2 } })
    } else yield frame
    isFirst = false
  }
}

test('of an older backup are left out when it is restored, and what is there by that name stays', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase()
  await queried(target.url, 'CREATE TABLE public.mine (x int); INSERT INTO mine VALUES (7)')
  const at = systemClock.now()
  const frames = writeBackup({ databaseUrl: source.url, home: '', folders: [], version: '0.0.1', at })
  const leftOut = new LeftOut()
  await restoreBackup(withMine(frames), { ...services, databaseUrl: target.url, home: null, leftOut })
  expect(leftOut.tables.describe()).toBe('1: "mine"')
  expect(await queried(target.url, 'SELECT x FROM mine')).toEqual([{ x: 7 }])
})
