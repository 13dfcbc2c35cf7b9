/** `factotum` as a process of its own, when it cannot start: it says what to change, never where in the code it was. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { authenticate } from '../../src/config/access/authenticate.ts'
import { dataDirectory } from '../../src/config/home/factotum-home.ts'
import { configPath, loadConfig } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { startEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts'
import { createTestDatabase } from '../harness/database.ts'
import { pgBouncerSkipReason, startPgBouncer } from '../harness/pg-bouncer.ts'
import { serverProgram } from '../harness/server-program.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'

const CHECKOUT = join(import.meta.dirname, '../..')

interface Failure {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

interface Attempt {
  readonly env: Readonly<Record<string, string>>
  /** What the server is started by; `bwrap …`, say. */
  readonly by?: readonly string[]
  readonly args?: readonly string[]
  readonly cwd?: string
}

/** Runs `factotum` to its end, which must be a failure that shows no code. */
async function failure({ env, by = [], args = [], cwd = CHECKOUT }: Attempt): Promise<Failure> {
  const program = cwd === CHECKOUT ? await serverProgram() : 'bin/factotum.js'
  const [file = '', ...rest] = [...by, process.execPath, program, ...args]
  const options = { cwd, env: { PATH: process.env['PATH'], PORT: '0', ...env } }
  const ended = await new Promise<Failure>((resolve) => {
    execFile(file, rest, options, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })
  expect(ended.stderr).not.toMatch(/\n\s+at .*:\d+/)
  expect(ended.stderr).toMatch(/^factotum: /)
  expect(ended.code).toBe(1)
  return ended
}

/** A home that is not the first one to start. */
async function preparedHome(): Promise<Awaited<ReturnType<typeof createTemporaryHome>>> {
  const home = await createTemporaryHome()
  await chmod(home.path, 0o711)
  return home
}

async function connected(url: string): Promise<AsyncDisposable & { readonly client: pg.Client }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

test('a server whose port is taken says so; its first token was shown before, and holds', async () => {
  await using home = await createTemporaryHome()
  await using place = await createTestDatabase()
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const { stdout, stderr } = await failure({
    env: { FACTOTUM_HOME: home.path, DATABASE_URL: place.url, PORT: String(port) },
  })
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`)
  const token = /fct_[0-9a-f]{64}/.exec(stdout)?.[0] ?? ''
  const { config } = await loadConfig(configPath(home.path), { production: false })
  expect(authenticate(config, token)).toMatchObject({ role: 'ADMIN' })
})

test('an empty FACTOTUM_HOME is an error, not another home', async () => {
  const { stderr } = await failure({ env: { FACTOTUM_HOME: '' } })
  expect(stderr).toContain('FACTOTUM_HOME: must be the path of a folder')
})

test('a wrong configuration is said in place of a start, and leaves no PostgreSQL of the home running', async () => {
  await using home = await preparedHome()
  const quiet = { clock: systemClock, logger: createLogger({ level: 'silent', pretty: false }) }
  const before = await startEmbeddedPostgres({ home: home.path, ...quiet })
  await before.stop()
  await writeFile(configPath(home.path), 'users = 1\n', { mode: 0o600 })
  expect((await failure({ env: { FACTOTUM_HOME: home.path } })).stderr).toContain('users')
  const after = await startEmbeddedPostgres({ home: home.path, ...quiet })
  await after.stop()
  expect(after.adopted).toBe(false)
})

test('a server that npm started and that cannot start ends, too', async () => {
  await using home = await preparedHome()
  await writeFile(configPath(home.path), 'users = 1\n', { mode: 0o600 })
  const env = { FACTOTUM_HOME: home.path, npm_lifecycle_event: 'start' }
  expect((await failure({ env })).stderr).toContain('users')
})

test('a DATABASE_URL in .env of the home holds', async () => {
  await using home = await preparedHome()
  await using place = await createTestDatabase()
  const none = new URL(place.url)
  none.pathname = '/not_there'
  await writeFile(join(home.path, '.env'), `DATABASE_URL=${none.href}\n`, { mode: 0o600 })
  expect((await failure({ env: { FACTOTUM_HOME: home.path } })).stderr).toContain('database "not_there" does not exist')
  await rm(join(home.path, '.env'))
  await mkdir(join(home.path, '.env'))
  expect((await failure({ env: { FACTOTUM_HOME: home.path } })).stderr).toMatch(/\.env cannot be read: EISDIR/)
})

test.each([
  ['may create no tables', 'REVOKE CREATE ON SCHEMA public FROM public', /may not create tables.*owner/],
  ['may open one connection alone', 'ALTER ROLE % CONNECTION LIMIT 1', /no connection left.*DATABASE_CONNECTIONS/],
  [
    'may create tables alone',
    'GRANT ALL ON SCHEMA public TO %',
    /permission denied for database.*owner of the database/,
  ],
  ['whose schema comes first', 'CREATE SCHEMA AUTHORIZATION %', /in the schema "weak_.*SET search_path = public/],
  ['may only read', 'ALTER ROLE % SET default_transaction_read_only = on', /read-only transaction/],
])('a user of the database who %s', async (_what, sql, problem) => {
  await using home = await preparedHome()
  await using place = await createTestDatabase({ migrated: false })
  await using admin = await connected(place.url)
  const role = `weak_${new URL(place.url).pathname.slice(-16)}`
  await admin.client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`)
  await using _role = {
    [Symbol.asyncDispose]: () => admin.client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`).then(() => undefined),
  }
  await admin.client.query(sql.replace('%', role))
  const weak = new URL(place.url)
  Object.assign(weak, { username: role, password: 'weak' })
  const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path, DATABASE_URL: weak.href } })
  expect(stderr).toMatch(problem)
})

test('a database of another encoding is refused before anything is created in it', async () => {
  await using home = await preparedHome()
  await using place = await createTestDatabase({ migrated: false })
  await using admin = await connected(place.url)
  const name = `${new URL(place.url).pathname.slice(1)}_ascii`
  await admin.client.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`)
  await using _dropped = {
    [Symbol.asyncDispose]: () => admin.client.query(`DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined),
  }
  const DATABASE_URL = Object.assign(new URL(place.url), { pathname: name }).href
  const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path, DATABASE_URL } })
  expect(stderr).toMatch(/encoding of the database is SQL_ASCII; Factotum needs UTF8. .*ENCODING 'UTF8'/)
})

test('a standby is called so', async () => {
  await using home = await preparedHome()
  const logger = createLogger({ level: 'silent', pretty: false })
  const options = { home: home.path, logger, clock: systemClock, settings: { wal_level: 'replica' } }
  await (await startEmbeddedPostgres(options)).stop()
  await writeFile(join(dataDirectory(home.path), 'standby.signal'), '')
  const standby = await startEmbeddedPostgres(options)
  await using _stopped = { [Symbol.asyncDispose]: () => standby.stop() }
  const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path, DATABASE_URL: standby.url } })
  expect(stderr).toMatch(/is a standby, which takes no writes. Name the primary/)
})

test.each([
  'backup /tmp/never',
  'move-to postgres://127.0.0.1:1/none',
  'audit verify',
  'session export cli:any',
  'retention --dry-run',
  'login --port 4000',
])('of a database that no server has used, the command says so: %s', async (command) => {
  await using home = await preparedHome()
  await using empty = await createTestDatabase({ migrated: false })
  const user = '[users.ada]\nrole = "admin"\n[tokens.ada]\nkind = "user"\nuser = "ada"\n'
  await writeFile(configPath(home.path), `${user}sha256 = "${'a'.repeat(64)}"\n`, { mode: 0o600 })
  const env = { FACTOTUM_HOME: home.path, DATABASE_URL: empty.url }
  const { stderr } = await failure({ env, args: command.split(' ') })
  expect(stderr).toContain('There is nothing of Factotum in this database: no server has been started on it.')
  expect(existsSync('/tmp/never')).toBe(false)
})

test('a host whose name leads nowhere is what cannot be listened on, and no outage of the database', async () => {
  await using home = await preparedHome()
  await using place = await createTestDatabase()
  const env = { FACTOTUM_HOME: home.path, DATABASE_URL: place.url, HOST: 'no-such-host.invalid' }
  const { stderr } = await failure({ env })
  expect(stderr).toMatch(/^factotum: No server can listen on no-such-host\.invalid .*--host or HOST/m)
  expect(stderr).not.toContain('database')
})

test.skipIf(pgBouncerSkipReason !== '').each([
  [['pool_mode = transaction', 'ignore_startup_parameters = options'], /PgBouncer with pool_mode = transaction/],
  [['pool_mode = session'], /a pooler that takes no settings for a connection/],
])(`PgBouncer is refused: %s${pgBouncerSkipReason}`, async (settings, problem) => {
  await using home = await preparedHome()
  await using place = await createTestDatabase()
  await using pooler = await startPgBouncer(place.url, { folder: home.path, settings })
  const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path, DATABASE_URL: pooler.url } })
  expect(stderr).toMatch(problem)
  expect(stderr).toContain('Give the address of PostgreSQL itself')
})

test('a checkout in which nothing has been generated', async () => {
  await using home = await preparedHome()
  await using copy = await createTemporaryHome()
  const filter = (source: string): boolean => !source.includes('generated')
  for (const name of ['bin', 'src', 'prisma', 'package.json']) {
    await cp(join(CHECKOUT, name), join(copy.path, name), { recursive: true, filter, verbatimSymlinks: true })
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(copy.path, 'node_modules'))
  const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path }, cwd: copy.path })
  expect(stderr).toContain('what is generated is missing')
})

test.runIf(process.getuid?.() === 0)('the home of another user [needs root]', async () => {
  await using home = await preparedHome()
  await mkdir(join(home.path, 'pg'), { mode: 0o711 })
  await chown(join(home.path, 'pg'), 1, 1)
  await chmod(home.path, 0o777)
  const by = ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
  const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path }, by })
  expect(stderr).toMatch(/pg belongs to the user "(daemon|bin)"/)
})

const sandbox = await findSandbox()

describe.skipIf(!sandbox.available)(`in file systems of its own${skipReason(sandbox)}`, () => {
  const own = (...mounts: string[]): string[] => ['bwrap', '--dev-bind', '/', '/', ...mounts, '--']

  test.each([
    ['is new', () => Promise.resolve()],
    ['has been started in before', (home: string) => mkdir(join(home, 'pg', 'data'), { recursive: true })],
  ])('a home that is mounted read-only and %s is called so', async (_what, prepare) => {
    await using home = await preparedHome()
    await prepare(home.path)
    const { stderr } = await failure({
      env: { FACTOTUM_HOME: home.path },
      by: own('--ro-bind', home.path, home.path),
    })
    expect(stderr).toContain('mounted read-only')
    expect(stderr).not.toContain('belongs to')
  })

  test.each([
    ['a few kilobytes', 4096, /no space left on device/i],
    ['a few megabytes', 8 << 20, /could not create its files: .*no space left on device/is],
  ])('a home with %s of space', async (_what, bytes, problem) => {
    await using home = await preparedHome()
    const mounts = ['--perms', '0711', '--size', String(bytes), '--tmpfs', home.path]
    const { stderr } = await failure({ env: { FACTOTUM_HOME: home.path }, by: own(...mounts) })
    expect(stderr).toMatch(problem)
  })
})
