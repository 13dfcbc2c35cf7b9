/** What users can leave in their workspaces neither stops a backup nor makes one that cannot be restored. */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { connectClient } from '../../src/store/connection/connect-client.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }

const MEBIBYTE = 2 ** 20

/** Folders in folders, whose path is longer than the system takes at once. */
const DEEP = `for i in $(seq 25); do mkdir "$0" && cd "$0"; done; echo deep > file`

test('what cannot be restored is left out and said, and the rest is restored, holes as holes', async () => {
  await using source = await createTestDatabase()
  await using target = await createTestDatabase({ migrated: false })
  await using home = await createTemporaryHome()
  await using copy = await createTemporaryHome()
  const workspace = join(home.path, 'sessions', 's')
  await mkdir(workspace, { recursive: true })
  execFileSync('bash', ['-c', DEEP, 'd'.repeat(200)], { cwd: workspace })
  await writeFile(Buffer.concat([Buffer.from(`${workspace}/bad-`), Buffer.from([0xff])]), 'no UTF-8')
  await writeFile(join(workspace, 'red-\u001B[31m'), 'a name that colours')
  for (const name of ['one', 'two', 'three']) await truncateNew(join(workspace, name), 100 * MEBIBYTE)
  await writeFile(join(workspace, 'two'), 'begins', { flag: 'r+' })
  const said: string[] = []
  const options = { ...services, print: (line: string): void => void said.push(line) }
  const file = join(home.path, 'backup')
  await runBackupCommand(
    { do: 'backup', file, files: true, workspaces: true },
    { ...options, databaseUrl: source.url, home: home.path },
  )
  expect(said).toContainEqual(expect.stringMatching(/^Left out, .*, 2: .*"sessions\/s\/d{50}.*…"/))
  expect(said).toContainEqual(expect.stringContaining('"sessions/s/bad-\uFFFD"'))
  await runBackupCommand({ do: 'restore', file }, { ...options, databaseUrl: target.url, home: copy.path })
  const restored = join(copy.path, 'sessions', 's')
  expect((await readdir(restored)).toSorted()).toEqual(
    ['d'.repeat(200), 'one', 'red-\u001B[31m', 'three', 'two'].toSorted(),
  )
  for (const name of ['one', 'two', 'three']) {
    const { size, blocks } = await stat(join(restored, name))
    expect(size).toBe(100 * MEBIBYTE)
    expect(blocks * 512).toBeLessThan(MEBIBYTE)
  }
  const two = await readFile(join(restored, 'two'))
  expect(two.toString('utf8', 0, 7)).toBe('begins\0')
})

test('while files are read, no transaction waits', async () => {
  await using source = await createTestDatabase()
  await using home = await createTemporaryHome()
  await mkdir(join(home.path, 'sessions'))
  const client = await connectClient(source.url, 'test')
  const { databaseUrl, at } = { databaseUrl: source.url, at: new Date(0) }
  const counts: unknown[] = []
  for await (const piece of writeBackup({ databaseUrl, home: home.path, folders: ['sessions'], version: 'test', at })) {
    if (!piece.includes('{"folder":"sessions"')) continue
    const { rows } = await client.query(`SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'factotum backup' AND xact_start IS NOT NULL`)
    counts.push(...rows)
  }
  await client.end()
  expect(counts).toEqual([{ count: 0 }])
})

async function truncateNew(path: string, size: number): Promise<void> {
  await writeFile(path, '')
  await truncate(path, size)
}
