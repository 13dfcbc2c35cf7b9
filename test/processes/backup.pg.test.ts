/** A backup of a server that works, restored elsewhere: the same rows, and nothing of it moves until it may. */
import { lstat, readdir, readFile, readlink, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startApp } from '../../src/app.ts'
import { connect } from '../../packages/client/src/connect.ts'
import { configPath } from '../../src/config/load-config.ts'
import { DEFAULT_CONNECTIONS } from '../../src/config/process-connections.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { LogLines } from '../../src/platform/log-lines.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { resolveDatabase } from '../../src/store/connection/resolve-database.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { createTestDatabase } from '../harness/database.ts'
import { impatientClock } from '../harness/impatient-clock.ts'
import { Story, storyConfig, tokenOf } from '../harness/story.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { TIMING } from '../../src/config/timing.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }

/** By table: how many rows, and a hash over all that is in them. */
async function contents(client: pg.Client): Promise<Record<string, string>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND relname <> '_prisma_migrations'`,
  )
  const found: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await client.query<{ all: string }>(
      `SELECT count(*) || ' ' || md5(coalesce(string_agg(t::text, ' ' ORDER BY t::text), '')) AS all FROM "${name}" t`,
    )
    found[name] = rows[0]?.all ?? ''
  }
  return found
}

/** Every file, folder and link of published files and workspaces: its mode, its owner, and what is in it. */
async function treeOf(home: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const folder of ['pub', 'sessions']) {
    const entries = await readdir(join(home, folder), { recursive: true })
    for (const name of ['.', ...entries]) {
      const path = join(home, folder, name)
      const at = await lstat(path)
      const content = at.isSymbolicLink() ? await readlink(path) : at.isFile() ? await readFile(path, 'utf8') : ''
      found[join(folder, name)] = `${at.mode.toString(8)} ${at.uid}:${at.gid} ${content}`
    }
  }
  return found
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}

test('under load, a backup restored has every row of one moment, and no other', async () => {
  await using story = await Story.begin()
  await using target = await createTestDatabase({ migrated: false })
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const isOver = new AbortController()
  const sent = { count: 0 }
  const load = [1, 2, 3, 4].map(async (person) => {
    while (!isOver.signal.aborted) {
      const session = client.session(`cli:load-${person}-${sent.count}`)
      await session.send('run: echo busy\nlearn: the load is steady')
      sent.count += 1
    }
  })
  await expect.poll(() => sent.count).toBeGreaterThan(20)

  const sameMoment = await connected(story.databaseUrl)
  const frames = writeBackup({
    databaseUrl: story.databaseUrl,
    home: story.home,
    folders: [],
    version: 'test',
    at: new Date(),
    onSnapshot: async (id) => {
      await sameMoment.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await sameMoment.query(`SET TRANSACTION SNAPSHOT '${id}'`)
    },
  })
  const before = sent.count
  const { rows } = await restoreBackup(frames, { ...services, databaseUrl: target.url, home: null })
  await expect.poll(() => sent.count).toBeGreaterThan(before)
  isOver.abort()
  await Promise.all(load)
  client.close()

  const restored = await connected(target.url)
  const there = await contents(restored)
  expect(there).toEqual(await contents(sameMoment))
  expect(rows).toBeGreaterThan(300)
  expect(Number.parseInt(there['messages'] ?? '', 10)).toBeGreaterThan(20)
  const left = await restored.query(`SELECT conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated`)
  expect(left.rows).toEqual([])
  const off = await restored.query(`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'O'`)
  expect(off.rows).toEqual([])
  await Promise.all([restored.end(), sameMoment.end()])
  const again = writeBackup({
    ...services,
    databaseUrl: target.url,
    home: '',
    folders: [],
    version: '',
    at: new Date(),
  })
  await expect(restoreBackup(again, { ...services, databaseUrl: target.url, home: null })).rejects.toThrow(
    'is not empty',
  )
})

test('a copy that is paused answers, takes messages, and does nothing with them until it is told', async () => {
  await using story = await Story.begin()
  const client = connect({ url: story.app.url, token: tokenOf('ada') })
  const commands = [
    'mkdir -p pub deep/shut && echo published > pub/a.txt && echo inside > deep/shut/b',
    'ln -s deep/shut/b link && ln -s /nowhere dangling && touch empty && chmod 4750 empty',
    'chmod 640 deep/shut/b && chmod 2755 deep && chmod 500 deep/shut',
  ]
  await client.session('cli:kept').send(commands.map((command) => `run: ${command}`).join('\n'))
  for await (const event of client.session('cli:kept').events({ after: 0 }))
    if (event.__typename === 'TurnCompletedEvent') break
  client.close()
  await using copyHome = await createTemporaryHome()
  await using backups = await createTemporaryHome()
  await using database = await createTestDatabase({ migrated: false })
  const file = join(backups.path, 'backup')
  const said: string[] = []
  const print = (line: string): void => void said.push(line)
  const slow = { ...services, clock: impatientClock(), print }
  const from = { ...slow, databaseUrl: story.databaseUrl, home: story.home }
  const to = { ...slow, databaseUrl: database.url, home: copyHome.path }
  await runBackupCommand({ do: 'backup', file, files: true, workspaces: true }, from)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(said.join('\n')).toContain('Not in it: config.toml, .env')
  expect(said).toContainEqual(expect.stringMatching(/^… events: \d+ rows, \d+ MiB in all$/))
  expect(said).toContainEqual(expect.stringMatching(/^… files: \d+ MiB in all$/))
  await writeFile(`${file}-cut`, await readFile(file))
  await truncate(`${file}-cut`, (await stat(file)).size - 100)
  await expect(runBackupCommand({ do: 'restore', file: `${file}-cut` }, to)).rejects.toThrow(/damaged|not whole/)
  expect(await readdir(copyHome.path)).toEqual([])
  said.splice(0)
  await runBackupCommand({ do: 'restore', file }, to)
  const steps = said.filter((line) => line.startsWith('… ') && !/\d/.test(line)).map((line) => line.slice(2))
  expect(steps).toEqual([
    'making the tables',
    'checking references',
    'counting what is in the tables (ANALYZE)',
    'bringing the schema up to date',
  ])
  const kept = await treeOf(story.home)
  expect(await treeOf(copyHome.path)).toEqual(kept)
  for (const one of [
    /^100\d+ .*published/,
    /^100640 .*inside/,
    /^120777 .* deep\/shut\/b$/,
    /^120777 .* \/nowhere$/,
    /^104750 /,
    /^42755 /,
  ])
    expect(Object.values(kept)).toContainEqual(expect.stringMatching(one))
  await expect(runBackupCommand({ do: 'restore', file }, to)).rejects.toThrow('is not empty')
  await using fresh = await createTestDatabase({ migrated: false })
  const besideFiles = runBackupCommand({ do: 'restore', file }, { ...to, databaseUrl: fresh.url })
  await expect(besideFiles).rejects.toThrow(/There are files in .*pub already/)
  expect(await treeOf(copyHome.path)).toEqual(kept)
  expect(said.join('\n')).toMatch(/Restored \d+ rows and \d+ files/)

  await writeFile(configPath(copyHome.path), storyConfig(), { mode: 0o600 })
  const options = {
    ...services,
    timing: TIMING,
    home: copyHome.path,
    databaseConnections: DEFAULT_CONNECTIONS,
    host: '127.0.0.1',
    port: 0,
    openDatabase: () => resolveDatabase(database.url, { ...services, home: copyHome.path }),
    environment: {},
    production: false,
    logLines: new LogLines(),
    stopping: new AbortController().signal,
  }
  const paused = await startApp({ ...options, paused: true })
  const copy = connect({ url: paused.url, token: tokenOf('ada') })
  await copy.session('cli:kept').send('run: echo later')
  expect(await copy.session('cli:kept').view()).toMatchObject({ queueLength: 1, activeTurn: null })
  const rows = await connected(database.url)
  expect((await rows.query(`SELECT status FROM turns ORDER BY id DESC LIMIT 1`)).rows).toEqual([{ status: 'QUEUED' }])
  copy.close()
  await paused.stop()

  const woken = await startApp(options)
  await expect
    .poll(async () => (await rows.query(`SELECT status FROM turns ORDER BY id DESC LIMIT 1`)).rows)
    .toEqual([{ status: 'DONE' }])
  await rows.end()
  await woken.stop()
})
