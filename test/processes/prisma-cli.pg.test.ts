/**
 * The Prisma CLI, on our stand-in for its engine: what a developer of Factotum types. Works on a copy of the project.
 */
import { execFile } from 'node:child_process'
import { appendFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../src/platform/clock.ts'
import { CODE_CACHE } from '../../src/platform/code-cache.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrate } from '../../src/store/connection/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const COPIED = ['prisma', 'prisma.config.ts', 'scripts/schema-engine', 'scripts/schema-engine.ts', 'package.json']
/** Each command loads Prisma anew. */
const CACHE = { NODE_COMPILE_CACHE: CODE_CACHE }
const silent = createLogger({ level: 'silent', pretty: false })

let project: string
let database: TestDatabase

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'prisma-cli-'))
  for (const path of COPIED) await cp(join(CHECKOUT, path), join(project, path), { recursive: true })
  await symlink(join(CHECKOUT, 'node_modules'), join(project, 'node_modules'))
})

beforeEach(async () => {
  database = await createTestDatabase({ migrated: false })
})

afterEach(() => database.drop())
afterAll(() => rm(project, { recursive: true }))

/** What the command printed. Rejects with it when it fails. */
async function prisma(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('prisma', args, {
    cwd: project,
    env: {
      PATH: `${join(CHECKOUT, 'node_modules/.bin')}:/usr/bin:/bin`,
      DATABASE_URL: database.url,
      NO_COLOR: '1',
      ...CACHE,
    },
  })
  return stdout
}

test('schema.prisma and the migrations agree', async () => {
  const diff = ['migrate', 'diff', '--from-migrations', 'prisma/migrations', '--to-schema', 'prisma/schema.prisma']
  expect(await prisma(...diff, '--script')).toBe('-- This is an empty migration.\n\n')
})

test('it sees the history that Factotum wrote as its own', async () => {
  await migrate(database.url, { logger: silent, clock: systemClock })
  expect(await prisma('migrate', 'status')).toContain('Database schema is up to date')
  expect(await prisma('migrate', 'deploy')).toContain('No pending migrations to apply')
})

test('it creates a database that is not there; Factotum sees the history that it wrote as its own', async () => {
  await database.drop()
  expect(await prisma('migrate', 'deploy')).toContain('All migrations have been successfully applied')
  expect(await migrate(database.url, { logger: silent, clock: systemClock })).toEqual([])
})

test('a change of the schema becomes a migration of just that, which can hold functions', async () => {
  await migrate(database.url, { logger: silent, clock: systemClock })
  const schema = join(project, 'prisma/schema.prisma')
  await writeFile(schema, (await readFile(schema, 'utf8')).replace('model Node {', 'model Node {\n  label String?'))
  await prisma('migrate', 'dev', '--name', 'label', '--create-only')

  const made = (await readdir(join(project, 'prisma/migrations'))).find((name) => name.endsWith('_label')) ?? ''
  const file = join(project, 'prisma/migrations', made, 'migration.sql')
  expect((await readFile(file, 'utf8')).split('\n').filter((line) => /^[A-Z]/.test(line))).toEqual([
    'ALTER TABLE "nodes" ADD COLUMN     "label" TEXT;',
  ])

  await appendFile(file, `CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'a;b'; END; $$;`)
  expect(await prisma('migrate', 'dev')).toContain(made)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  expect((await client.query('SELECT f(), (SELECT count(label)::int FROM nodes)')).rows).toEqual([
    { f: 'a;b', count: 0 },
  ])
  const shadows = await client.query(`SELECT datname FROM pg_database WHERE datname LIKE 'prisma%'`)
  await client.end()
  expect(shadows.rows).toEqual([])
})

test('it says when the server is not there', async () => {
  const { url } = database
  database = { ...database, url: url.replace(/:\d+\//, ':1/') }
  await expect(prisma('migrate', 'status')).rejects.toThrow('P1001')
})
