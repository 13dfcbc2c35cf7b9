/** Restores with a connection that breaks at the end, and into folders that are volumes. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { Progress } from '../../src/config/command-line/progress.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { runBackupCommand } from '../../src/transfer/backup/backup-command.ts'
import { restoreBackup } from '../../src/transfer/backup/restore-backup.ts'
import { writeBackup } from '../../src/transfer/backup/write-backup.ts'
import { createTestDatabase } from '../harness/database.ts'
import { converse, Story } from '../harness/story.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'

const services = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }

/** Calls `before` when the restore is about to commit. */
class ToTheCommit extends Progress {
  readonly #before: () => void

  constructor(before: () => void) {
    super({ clock: systemClock, print: () => undefined })
    this.#before = before
  }

  override async during<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    const result = await super.during(what, work)
    if (what === 'checking references') this.#before()
    return result
  }
}

async function backupOf(story: Story): Promise<AsyncIterable<Buffer>> {
  await converse(story.as('ada'), 'cli:kept', 'run: mkdir -p pub; echo kept > pub/kept.txt')
  const { databaseUrl, home } = story
  return writeBackup({ ...services, databaseUrl, home, folders: ['pub', 'sessions'], version: 'test', at: new Date() })
}

/** A restore whose connection goes through a proxy; `breaks` is called before its commit. What is then in the home. */
async function restoreBreaking(breaks: (proxy: TcpProxy) => void) {
  await using story = await Story.begin()
  await using target = await createTestDatabase({ migrated: false })
  await using proxy = await TcpProxy.start(target.url)
  await using home = await createTemporaryHome()
  const outcome = await restoreBackup(await backupOf(story), {
    ...services,
    databaseUrl: proxy.through(target.url),
    home: home.path,
    progress: new ToTheCommit(() => breaks(proxy)),
  }).catch((error: unknown) => String(error))
  return { outcome, folders: (await readdir(home.path)).toSorted() }
}

test('when the answer to the commit is lost, it is asked for, and the files stay with the rows', async () => {
  const { outcome, folders } = await restoreBreaking((proxy) => void proxy.loseAnswerTo('COMMIT'))
  expect(outcome).toMatchObject({ rows: expect.any(Number) })
  expect(folders).toEqual(['pub', 'sessions'])
})

test('when the connection breaks before the commit, there are neither rows nor files', async () => {
  const { outcome, folders } = await restoreBreaking((proxy) => proxy.dieAt('COMMIT'))
  expect(outcome).toContain('terminating connection')
  expect(folders).toEqual([])
})

test('when the database cannot be asked what became of the commit, the files stay, and what to do is said', async () => {
  const { outcome, folders } = await restoreBreaking(
    (proxy) => void proxy.loseAnswerTo('COMMIT').then(() => proxy.cut()),
  )
  expect(outcome).toContain(
    'the database cannot be asked whether it was. The files stay. If the database has sessions,',
  )
  expect(folders).toEqual(['pub', 'sessions'])
})

/** What a child process does in a mount namespace of its own, where the folders of the home are volumes. */
const RESTORE = `
import { createReadStream } from 'node:fs'
import { systemClock as clock } from '${import.meta.dirname}/../../src/platform/clock.ts'
import { createLogger } from '${import.meta.dirname}/../../src/platform/logger.ts'
import { restoreBackup } from '${import.meta.dirname}/../../src/transfer/backup/restore-backup.ts'
const [file, databaseUrl, home] = process.argv.slice(2)
const logger = createLogger({ level: 'silent', pretty: false })
await restoreBackup(createReadStream(file), { databaseUrl, home, clock, logger })
`

test.skipIf(process.getuid?.() !== 0)('folders of the home may be volumes', async () => {
  await using story = await Story.begin()
  await using target = await createTestDatabase({ migrated: false })
  await using home = await createTemporaryHome()
  const file = join(home.path, 'backup')
  const script = join(home.path, 'restore.ts')
  await writeFile(file, await backupOf(story))
  await writeFile(script, RESTORE)
  const into = join(home.path, 'home')
  const [pub, sessions] = [join(into, 'pub'), join(into, 'sessions')]
  for (const folder of [pub, sessions]) await mkdir(folder, { recursive: true })
  // Two of one file system, as volumes of a container often are, and one that is not.
  const commands = [
    `mkdir ${home.path}/volume && mount --bind ${home.path}/volume ${pub}`,
    `mount -t tmpfs none ${sessions}`,
    `"$0" ${script} ${file} '${target.url}' ${into}`,
    `find ${into} -type f | sort; ls -A ${pub}; stat -c %a ${sessions}`,
  ]
  const args = ['--mount', 'bash', '-c', commands.join(' && '), process.execPath]
  const { stdout } = await promisify(execFile)('unshare', args)
  expect(stdout).toMatch(/\/pub\/[^\n]+\n/)
  expect(stdout).toMatch(/\/sessions\/[^\n]+kept\.txt/)
  expect(stdout).not.toContain('.restore')
  // What lies on the disk below is what was put onto the volume.
  const [published = ''] = await readdir(join(home.path, 'volume'))
  expect(published).not.toBe('')
})

/** What a command says that restores a file in a process of its own. */
const COMMAND = `
import { systemClock as clock } from '${import.meta.dirname}/../../src/platform/clock.ts'
import { createLogger } from '${import.meta.dirname}/../../src/platform/logger.ts'
import { runBackupCommand } from '${import.meta.dirname}/../../src/transfer/backup/backup-command.ts'
const [file, databaseUrl, home] = process.argv.slice(2)
const options = { databaseUrl, home, clock, logger: createLogger({ level: 'silent', pretty: false }), print() {} }
await runBackupCommand({ do: 'restore', file }, options).catch((error) => console.log(error.message))
`

test.skipIf(process.getuid?.() !== 0)(
  'a full disk of the home is reported as that, and nothing is left on it',
  async () => {
    await using source = await createTestDatabase()
    await using target = await createTestDatabase({ migrated: false })
    await using home = await createTemporaryHome()
    await mkdir(join(home.path, 'sessions'))
    await writeFile(join(home.path, 'sessions', 'large'), randomBytes(2 ** 20))
    const [file, script, into] = ['backup', 'restore.ts', 'into'].map((name) => join(home.path, name))
    const options = { ...services, databaseUrl: source.url, home: home.path, print: () => undefined }
    await runBackupCommand({ do: 'backup', file: String(file), files: false, workspaces: true }, options)
    await writeFile(String(script), COMMAND)
    await mkdir(String(into))
    const commands = `mount -t tmpfs -o size=128k none ${into} && "$0" ${script} ${file} '${target.url}' ${into} && ls -A ${into}`
    const { stdout } = await promisify(execFile)('unshare', ['--mount', 'bash', '-c', commands, process.execPath])
    expect(stdout).toBe(
      `The home ${into} cannot be written to: ENOSPC: no space left on device, write. Nothing was restored: change that, and restore again.\n`,
    )
  },
)

test('a connection that breaks is no fault of the file', async () => {
  await using source = await createTestDatabase()
  await using home = await createTemporaryHome()
  await using proxy = await TcpProxy.start(source.url)
  const options = { ...services, databaseUrl: proxy.through(source.url), home: home.path, print: () => undefined }
  void proxy.loseAnswerTo('COPY "events"')
  const file = join(home.path, 'backup')
  const backup = runBackupCommand({ do: 'backup', file, files: false, workspaces: false }, options)
  await expect(backup).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  expect(await readdir(home.path)).toEqual([])
})
