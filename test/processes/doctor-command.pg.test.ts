/**
 * `factotum doctor` as people run it, where something is broken: what it prints, with its fix, and its exit code. What
 * does not hide each other is broken at once, because each run is a process.
 */
import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../harness/database.ts'
import { serverProgram } from '../harness/server-program.ts'
import { createTemporaryHome } from '../harness/temporary-home.ts'
import { findSandbox, skipReason } from '../sandbox/sandbox-support.ts'

const sandbox = await findSandbox()
const CONFIG = `[users.ada]
role = "admin"
[tokens.ada]
kind = "user"
user = "ada"
sha256 = "${'0'.repeat(64)}"
`
const NOBODY = ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const within = (...mounts: string[]): string[] => ['bwrap', '--dev-bind', '/', '/', ...mounts, '--']
const CLOCK_BEHIND = `CREATE SCHEMA wrong;
  CREATE FUNCTION wrong.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS $$ SELECT pg_catalog.clock_timestamp() - interval '90 s' $$;
  DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = public, wrong, pg_catalog', current_database());
  END $$`

const NEWER_SCHEMA = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
  VALUES ('a', 'b', '29991231000000_later', now());`
/** Where nothing listens. */
const NOBODY_THERE = 'http://127.0.0.1:9'
const MODEL = `[providers.p]
base_url = "${NOBODY_THERE}/v1"
api_key_env = "P_KEY"
[models]
planner = "p:m"
`

interface Surroundings {
  /** Behind what config.toml has. */
  readonly toml?: string
  readonly args?: readonly string[]
  /** Run in the database before. */
  readonly sql?: string
  readonly env?: (place: { readonly url: string; readonly taken: number }) => Readonly<Record<string, string>>
  /** What the command is started by. */
  readonly by?: (home: string) => readonly string[]
}

interface Printed {
  readonly code: unknown
  readonly stdout: string
  readonly stderr: string
}

async function doctorIn({ toml = '', args: flags = [], sql, env, by }: Surroundings): Promise<Printed> {
  await using home = await createTemporaryHome()
  await using database = await createTestDatabase()
  await chmod(home.path, 0o711)
  await writeFile(join(home.path, 'config.toml'), CONFIG + toml, { mode: 0o644 })
  if (sql !== undefined) await run(database.url, sql)
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port: taken } = other.address() as AddressInfo
  const place = { FACTOTUM_HOME: home.path, DATABASE_URL: database.url, PORT: '0' }
  const all = { PATH: process.env['PATH'], ...place, ...env?.({ url: database.url, taken }) }
  const [file = '', ...args] = [...(by?.(home.path) ?? []), process.execPath, await serverProgram(), 'doctor', ...flags]
  try {
    return await new Promise((resolve) => {
      execFile(file, args, { env: all }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
    })
  } finally {
    other.close()
  }
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

type Row = [what: string, found: readonly RegExp[], surroundings: Surroundings]

/** Root alone can be another user. */
const ANOTHER_USER: readonly Row[] =
  process.getuid?.() === 0
    ? [
        [
          'the home belongs to another user',
          [
            /^FAIL {2}home .* belongs to the user "root".* Start it as that user, or set FACTOTUM_HOME.*\n +→ Mend that first/,
          ],
          { by: () => NOBODY },
        ],
      ]
    : []

test.skipIf(skipReason(sandbox) !== '').each<Row>([
  [
    'the database is down, and config.toml breaks a rule',
    [
      /^FAIL {2}config [^]*max_queued[^]*\n +→ Correct each of them/m,
      /^FAIL {2}database .*cannot be reached.*\n +→ Correct DATABASE_URL, or start that server/m,
    ],
    {
      toml: '[settings]\nmax_quued = 1\n',
      env: ({ url }) => ({ DATABASE_URL: url.replace(/:\d+\//, ':1/') }),
    },
  ],
  [
    'there is no bubblewrap',
    [/^warn {2}sandbox .*Commands of users do not run without it\.\n +→ \S/m],
    { by: () => within('--ro-bind', '/dev/null', '/usr/bin/bwrap') },
  ],
  [
    'the disk is nearly full',
    [/^FAIL {2}disk +100 MiB are free .*\n +→ Make space/m],
    { by: (home) => within('--size', String(100 * 1024 * 1024), '--tmpfs', home) },
  ],
  [
    'the workspaces have a disk of their own, which is nearly full',
    [/^FAIL {2}disk +100 MiB are free where .*\/sessions is\.\n +→ Make space/m],
    { by: (home) => within('--size', String(100 * 1024 * 1024), '--tmpfs', `${home}/sessions`) },
  ],
  [
    'another program has the port, the proxy is away, and the model fails',
    [
      /^FAIL {2}port +Another program listens on .*\n +→ Stop it, or choose another port/m,
      /^FAIL {2}proxy +HTTPS_PROXY \(127\.0\.0\.1:9\) does not answer\.\n +→ Start the proxy, correct HTTPS_PROXY/m,
      /^FAIL {2}models +p:m \(planner, .*\): MODEL_UNREACHABLE\n +→ \S.*refused/m,
    ],
    {
      toml: MODEL,
      args: ['--models'],
      env: ({ taken }) => ({ PORT: String(taken), HOST: '127.0.0.1', HTTPS_PROXY: NOBODY_THERE, P_KEY: 'a-key' }),
    },
  ],
  [
    'an upgrade has not been started yet, and the collector is away',
    [
      /^warn {2}migrations +1 of \d+ are not applied yet\.\n +→ The next start applies them/m,
      /^warn {2}collector +127\.0\.0\.1:9\/v1\/traces takes no traces: .*\n +→ Start it, or correct OTEL_/m,
    ],
    {
      sql: 'DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)',
      env: () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: NOBODY_THERE }),
    },
  ],
  ...ANOTHER_USER,
  [
    'the home is mounted read-only',
    [/^FAIL {2}home .* mounted read-only\. Mount it for writing, or set FACTOTUM_HOME/],
    { by: (home) => within('--ro-bind', home, home) },
  ],
  [
    'the clocks differ, and the database belongs to a newer version',
    [
      /^FAIL {2}clock +The clock is ([78]\d|90)\S* s ahead of the database's\.\n +→ .*chrony/m,
      /^FAIL {2}migrations +.*1 migrations that this build does not know.*\n +→ Start that version/m,
    ],
    { sql: NEWER_SCHEMA + CLOCK_BEHIND },
  ],
])('%s', async (_, found, surroundings) => {
  const { stdout, stderr, code } = await doctorIn(surroundings)
  for (const finding of found) expect(stdout).toMatch(finding)
  expect(stderr).not.toMatch(/\n\s+at .*:\d+/)
  expect(code).toBe(found.every(({ source }) => source.startsWith('^warn')) ? 0 : 1)
})

test.skipIf(skipReason(sandbox) !== '')('JSON also of a home that cannot be used', async () => {
  const { stdout, code } = await doctorIn({ args: ['--json'], by: (home) => within('--ro-bind', home, home) })
  expect(JSON.parse(stdout)).toEqual([
    { check: 'home', verdict: 'FAIL', says: expect.stringContaining('mounted read-only'), fix: expect.any(String) },
  ])
  expect(code).toBe(1)
})
