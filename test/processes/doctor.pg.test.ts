/** `factotum doctor` in surroundings of which one thing is broken each: it names that thing, and how to mend it. */
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { DEFAULT_CONNECTIONS } from '../../src/config/process-connections.ts'
import type { Environment } from '../../src/config/schema/environment.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { describeFindings, examine, exitCodeOf, type DoctorOptions } from '../../src/terminal/doctor.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { StubEndpoint } from '../model/stub-endpoint.ts'
import { Collector } from '../telemetry/collector.ts'

afterEach(() => void vi.unstubAllEnvs())

const CONFIG = `[users.ada]
role = "admin"
[tokens.ada]
kind = "user"
user = "ada"
sha256 = "${'0'.repeat(64)}"
`

interface Surroundings {
  /** Of config.toml; null: there is none. */
  readonly toml?: string | null
  readonly databaseUrl?: (url: string) => string
  /** Run in the database before it is checked. */
  readonly sql?: string
  readonly environment?: Partial<Environment>
  readonly options?: Partial<DoctorOptions>
}

/** What is found that is not well. */
async function examined({ toml = CONFIG, sql, ...more }: Surroundings) {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  if (toml !== null) await writeFile(join(home.path, 'config.toml'), toml, { mode: 0o600 })
  if (sql !== undefined) await run(database.url, sql)
  const environment: Environment = {
    databaseUrl: (more.databaseUrl ?? String)(database.url),
    databaseConnections: DEFAULT_CONNECTIONS,
    port: 0,
    host: '127.0.0.1',
    home: home.path,
    logLevel: 'silent',
    production: false,
    ...more.environment,
  }
  const findings = await examine({
    environment,
    home: home.path,
    env: {},
    keys: { apiKey: () => null },
    callsModels: false,
    clock: systemClock,
    logger: createLogger({ level: 'silent', pretty: false }),
    freeBytes: 2 ** 40,
    ...more.options,
  })
  const bad = findings.filter(
    ({ verdict, check }) => verdict !== 'OK' && (check !== 'sandbox' || more.options?.bubblewrapPaths),
  )
  const shown = bad.map(({ check, verdict, says, fix }) => `${verdict} ${check}: ${says} → ${fix}`)
  return { findings, shown, exitCode: exitCodeOf(bad) }
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

test('finds nothing where nothing is broken, and says what it checked', async () => {
  const { findings, shown, exitCode } = await examined({})
  expect(shown).toEqual([])
  expect(exitCode).toBe(0)
  const checks = findings.map(({ check }) => check)
  expect(checks).toEqual(['config', 'disk', 'database', 'clock', 'migrations', 'port', 'sandbox', 'proxy', 'collector'])
  expect(describeFindings(findings)).toMatch(/^ok {4}config {6}\S+config\.toml is valid\.\nok {4}disk/)
})

/** Between reading its clock and answering it takes longer than clocks may differ. */
const LATE = `CREATE SCHEMA late;
  CREATE FUNCTION late.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT pg_sleep(3) IS NULL $$;
  DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, late, pg_catalog', current_database()); END $$`

test('a database that answers late has no wrong clock', async () => {
  expect((await examined({ sql: LATE })).shown).toEqual([])
})

const PROVIDER = '[providers.p]\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "P_KEY"\n[models]\nplanner = "p:m"\n'
const AHEAD_MS = 90_000

test.each<[what: string, surroundings: Surroundings, found: RegExp]>([
  [
    'a config.toml that breaks a rule',
    { toml: `${CONFIG}[settings]\nmax_quued = 1\n` },
    /^FAIL config: [^]*max_queued[^]* → Correct each/,
  ],
  [
    'a token in plain text',
    { toml: CONFIG.replace(/sha256 = .*/, 'token = "a-token-of-ada"') },
    /^WARN config: .*the token itself is in the file.* → Change /,
  ],
  [
    'a model that is meant to be a runtime of a plugin',
    { toml: `${CONFIG}[models]\nplanner = "tois/agent:one"\n` },
    /^WARN models: tois\/agent:one \(planner, .*\) cannot answer\. There is no plugin "tois".* → If it is the whole name/,
  ],
  [
    'many facts with an embedder, and no pgvector',
    {
      toml: `${CONFIG}[providers.p]\nbase_url = "http://127.0.0.1:9/v1"\n[models]\nplanner = "p:m"\nembedder = "p:e"\n`,
      sql: `SET session_replication_role = replica;
        INSERT INTO fact_embeddings (fact_id, model, scope, sketch, vector)
          SELECT n, 'p:e', 'GLOBAL ', repeat('0', 1024)::bit(1024), '' FROM generate_series(1, 10001) n`,
    },
    /^WARN embedder: .*comparing all in reach, which takes long with so many.* → Install pgvector/,
  ],
  ['a disk that is full', { options: { freeBytes: 1024 } }, /^FAIL disk: 0 MiB are free .* → Make space/],
  [
    'a database that is not there',
    { databaseUrl: (url) => url.replace(/:\d+\//, ':1/') },
    /^FAIL database: PostgreSQL cannot be reached.* → Correct DATABASE_URL/,
  ],
  ['a database of another name', { databaseUrl: (url) => `${url}_not` }, /^FAIL database: .*does not exist.*createdb/],
  [
    'a migration that failed',
    { sql: "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%knowledge'" },
    /^FAIL migrations: \S+_knowledge failed half-way\. → .*resolve/,
  ],
  [
    'a database of a newer version',
    {
      sql: `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
        VALUES ('a', 'b', '29991231000000_later', now())`,
    },
    /^FAIL migrations: .*1 migrations that this build does not know.* → Start that version/,
  ],
  [
    'a clock that is wrong',
    { options: { clock: { ...systemClock, now: () => new Date(Date.now() + AHEAD_MS) } } },
    /^FAIL clock: The clock is ([78]\d|90)\.?\d* s ahead of the database's\. → .*chrony/,
  ],
  [
    'an address of another machine',
    { environment: { host: '192.0.2.1' } },
    /^FAIL port: 192\.0\.2\.1:0 cannot be listened on.* → Correct HOST/,
  ],
  [
    'no bubblewrap',
    { options: { bubblewrapPaths: ['/not/there/bwrap'] } },
    /^WARN sandbox: bubblewrap is not installed\. .* → .*bubblewrap/,
  ],
  [
    'a proxy that is no address',
    { options: { env: { HTTPS_PROXY: 'proxy:8080' } } },
    /^FAIL proxy: HTTPS_PROXY is no address/,
  ],
  [
    'a proxy that is away',
    { options: { env: { HTTP_PROXY: 'http://127.0.0.1:9' } } },
    /^FAIL proxy: HTTP_PROXY \(127\.0\.0\.1:9\) does not answer\. → Start the proxy/,
  ],
  [
    'a protocol that a collector is not spoken to in',
    {
      options: {
        env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      },
    },
    /^WARN collector: OTEL_EXPORTER_OTLP_PROTOCOL is "grpc".*→ Correct the variable/,
  ],
  [
    'a key that is missing',
    { toml: `${CONFIG}${PROVIDER}` },
    /^FAIL keys: The key of provider "p" is missing\. → Write P_KEY=… into .*\.env/,
  ],
  [
    'a model that is away',
    { toml: `${CONFIG}${PROVIDER}`, options: { callsModels: true, keys: { apiKey: () => 'k' } } },
    /^FAIL models: p:m \(planner, .*MODEL_UNREACHABLE → .*connection is refused/,
  ],
])('%s', async (_, surroundings, found) => {
  const { shown, exitCode } = await examined(surroundings)
  expect(shown).toHaveLength(1)
  expect(shown[0]).toMatch(found)
  expect(exitCode).toBe(shown[0]?.startsWith('FAIL') === true ? 1 : 0)
})

test('a port that another program has', async () => {
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { shown } = await examined({ environment: { port } })
  expect(shown).toEqual([expect.stringContaining(`FAIL port: Another program listens on 127.0.0.1:${port}. →`)])
  other.close()
})

test('a collector that is away or wants a key; and one that takes all', async () => {
  await using collector = await Collector.start()
  // The exporters read the environment of the process themselves.
  const foundFor = async (env: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    return (await examined({ options: { env } })).findings.filter(({ check }) => check === 'collector')
  }
  const away = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_METRICS_EXPORTER: 'none' }
  expect(await foundFor(away)).toMatchObject([
    {
      verdict: 'WARN',
      says: expect.stringMatching(/^127\.0\.0\.1:9\/v1\/traces takes no traces: .*ECONNREFUSED/),
      fix: expect.stringMatching(/^Start it, or correct OTEL_EXPORTER_OTLP_ENDPOINT.*OTEL_TRACES_EXPORTER=none/),
    },
  ])
  collector.status = 401
  expect(await foundFor({ ...collector.environment, OTEL_METRICS_EXPORTER: '' })).toMatchObject([
    { verdict: 'WARN', says: expect.stringMatching(/takes no traces: it answers 401/) },
    { verdict: 'WARN', says: expect.stringMatching(/takes no metrics: it answers 401/) },
  ])
  collector.status = 200
  expect(await foundFor(collector.environment)).toMatchObject([
    { verdict: 'OK', says: expect.stringMatching(/\/v1\/traces takes traces\.$/) },
    { verdict: 'OK', says: expect.stringMatching(/\/v1\/metrics takes metrics\.$/) },
  ])
  expect(collector.spans.all).toEqual([])
})

test('an embedded PostgreSQL whose folder is damaged', async () => {
  await using home = await createTemporaryHome()
  await mkdir(join(home.path, 'pg', 'data'), { recursive: true })
  await writeFile(join(home.path, 'pg', 'data', 'PG_VERSION'), '9.6\n')
  const { shown } = await examined({ environment: { databaseUrl: null }, options: { home: home.path } })
  expect(shown).toEqual([expect.stringContaining('FAIL database: The embedded PostgreSQL does not start')])
})

test('models that work are called as their roles do, and what they can do is said', async () => {
  await using stub = await StubEndpoint.start({
    by: ({ body }) => (body.response_format === undefined ? { pieces: ['Hel', 'lo.'] } : '{"color":"blue"}'),
  })
  const toml = `${CONFIG}[providers.s]\nbase_url = "${stub.baseUrl}"\n[models]\nplanner = ["s:a", "s:b"]\n`
  const { findings } = await examined({ toml, options: { callsModels: true } })
  const models = findings.filter(({ check }) => check === 'models').map(({ says }) => says)
  expect(models).toEqual([
    expect.stringMatching(/^s:a answered in .* \(planner, .*\); text came in 2 pieces\.$/),
    expect.stringMatching(/^s:b answered in .* text came in 2 pieces\.$/),
  ])
  expect(stub.calls).toHaveLength(6)
})

test('a model that takes no calls of tools plans, and what it cannot do is said', async () => {
  await using stub = await StubEndpoint.start({
    by: ({ body }) => {
      if (body.tools !== undefined) return { status: 400, body: { error: { message: 'a does not support tools' } } }
      return body.response_format === undefined ? 'Hello.' : '{"color":"blue"}'
    },
  })
  const toml = `${CONFIG}[providers.s]\nbase_url = "${stub.baseUrl}"\n[models]\nplanner = "s:a"\nassistant = "s:b"\n`
  const { findings } = await examined({ toml, options: { callsModels: true } })
  expect(findings.filter(({ check }) => check === 'models')).toMatchObject([
    { verdict: 'OK', says: expect.stringMatching(/^s:a answered/) },
    {
      verdict: 'WARN',
      says: expect.stringMatching(/^s:b answered .*\(mode CHAT\) do not work: MODEL_UNKNOWN$/),
      fix: expect.stringMatching(/does not take calls of tools.*choose another model: \[models\] assistant/),
    },
  ])
})
