/** Backups and restores of a database that is not the right one say so, and what to do. */
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrate, migrationNames } from '../../src/store/connection/migrate.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { createTestDatabase } from '../harness/database.ts'
import { select } from '../harness/plugins.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }

test('a backup from before an upgrade does not go into a database of after it, which is said', async () => {
  await using older = await createTestDatabase({ migrated: false })
  await migrate(older.url, { ...services, only: new Set((await migrationNames()).slice(0, -1)) })
  await using target = await createTestDatabase()
  const restore = (): Promise<unknown> =>
    restoreBackup(
      writeBackup({ ...services, databaseUrl: older.url, home: '', folders: [], version: 'older', at: new Date() }),
      { ...services, databaseUrl: target.url, home: null },
    )
  await expect(restore()).rejects.toMatchObject({
    code: 'TRANSFER_REFUSED',
    message: expect.stringContaining('The database has tables of a later version than the backup'),
  })
  const user = `('u', 'ada', 'ADMIN', true, false, now())`
  const insert = `INSERT INTO users (id, name, role, all_skills, declared, created_at) VALUES ${user}`
  await select({ databaseUrl: target.url }, insert)
  await expect(restore()).rejects.toMatchObject({
    code: 'TRANSFER_REFUSED',
    message: expect.stringContaining('The database is not empty: it has users.'),
  })
})
