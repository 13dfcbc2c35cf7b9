import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { PATIENCE } from '../harness/patience.ts'
import { AppError } from '../../src/core/errors.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrate, type MigrateOptions } from '../../src/store/connection/migrate.ts'

let database: TestDatabase
let directory: string

beforeEach(async () => {
  database = await createTestDatabase({ migrated: false })
  directory = await mkdtemp(join(tmpdir(), 'migrations-'))
})

afterEach(async () => {
  await database.drop()
  await rm(directory, { recursive: true })
})

function options(): MigrateOptions {
  return { logger: createLogger({ level: 'silent', pretty: false }), clock: systemClock, directory }
}

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, name), { recursive: true })
  await writeFile(join(directory, name, 'migration.sql'), sql)
}

async function query<Row extends object>(sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Takes the migration lock, and does not give it back. */
async function holdLock(): Promise<AsyncDisposable & { readonly pid: number }> {
  const client = new pg.Client({ connectionString: database.url, application_name: 'a forgotten psql' })
  await client.connect()
  const held = 'SELECT pg_backend_pid() AS pid FROM pg_advisory_lock(72707369)'
  const [row] = (await client.query<{ pid: number }>(held)).rows
  return { pid: row?.pid ?? 0, [Symbol.asyncDispose]: () => client.end() }
}

async function refusal(attempt: Promise<unknown>): Promise<AppError> {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AppError)
  return error as AppError
}

describe('migrate', () => {
  test('applies what is missing, in order, once', async () => {
    await write('1_people', 'CREATE TABLE people (name text); CREATE TABLE pets (name text);')
    expect(await migrate(database.url, options())).toEqual(['1_people'])
    await write(
      '2_greet',
      `INSERT INTO people VALUES ('anna; bob');
       CREATE FUNCTION greet() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'hi;'; END $$;`,
    )
    expect(await migrate(database.url, options())).toEqual(['2_greet'])
    expect(await migrate(database.url, options())).toEqual([])
    expect(await query('SELECT name, greet() FROM people')).toEqual([{ name: 'anna; bob', greet: 'hi;' }])
  })

  test('of many processes at once one migrates, the others wait for it', async () => {
    await write('1_slow', 'CREATE TABLE slow (n int); SELECT pg_sleep(0.2);')
    await write('2_next', 'INSERT INTO slow VALUES (1);')
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, options())))
    expect(applied.filter((names) => names.length > 0)).toEqual([['1_slow', '2_next']])
    expect(await query('SELECT n FROM slow')).toEqual([{ n: 1 }])
  })

  test('a lock that is not given back is waited for with a limit, and its holder named', async () => {
    await using holder = await holdLock()
    const lines: string[] = []
    const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    const error = await refusal(migrate(database.url, { ...options(), logger, waitMs: 300 }))
    expect(error.code).toBe('DATABASE_UNAVAILABLE')
    expect(error.message).toContain(`for 0.3 s: process ${holder.pid} of PostgreSQL, application "a forgotten psql"`)
    expect(error.message).toContain(`pg_terminate_backend(${holder.pid})`)
    const waiting = expect.objectContaining({
      holder: expect.objectContaining({ pid: holder.pid }) as object,
    }) as object
    expect(JSON.parse(lines[0] ?? '{}')).toEqual(waiting)
  })

  test('whose lock it waits for is logged even if the limit is over at once', async () => {
    await using holder = await holdLock()
    const lines: string[] = []
    const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
    expect((await refusal(migrate(database.url, { ...options(), logger, waitMs: 0 }))).code).toBe(
      'DATABASE_UNAVAILABLE',
    )
    expect(lines).toEqual([expect.stringContaining(`"holder":{"pid":${holder.pid},`)])
  })

  test('a process that is to stop does not wait for the lock', async () => {
    await using _holder = await holdLock()
    const stopping = new AbortController()
    const logger = pino({ level: 'info' }, { write: () => stopping.abort() })
    const error = await refusal(migrate(database.url, { ...options(), logger, stopping: stopping.signal }))
    expect(error.code).toBe('SHUTTING_DOWN')
  })

  test('a migration that fails leaves nothing behind and can be tried again', async () => {
    await write('1_good', 'CREATE TABLE good (n int);')
    await write('2_bad', 'CREATE TABLE half (n int); SELECT nonsense;')
    const error = await refusal(migrate(database.url, options()))
    expect(error.message).toBe('Migration 2_bad failed and was rolled back: column "nonsense" does not exist.')
    expect(await query(`SELECT to_regclass('good')::text AS good, to_regclass('half')::text AS half`)).toEqual([
      { good: 'good', half: null },
    ])
    await write('2_bad', 'CREATE TABLE half (n int);')
    expect(await migrate(database.url, options())).toEqual(['2_bad'])
  })

  test('one that needs a table which a long transaction reads does not make others wait behind it', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await migrate(database.url, options())
    await write('2_age', 'ALTER TABLE people ADD COLUMN age int;')
    const backup = new pg.Client({ connectionString: database.url, application_name: 'a long backup' })
    await backup.connect()
    try {
      await backup.query('BEGIN; SELECT FROM people;')
      const lines: string[] = []
      const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(line) })
      const migrating = migrate(database.url, { ...options(), logger })
      await vi.waitUntil(async () => {
        const [row] = await query<{ waits: boolean }>(
          'SELECT count(*) > 0 AS waits FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
        )
        return row?.waits
      }, PATIENCE)
      expect(await query('SELECT name FROM people')).toEqual([])
      await vi.waitUntil(() => lines.some((line) => line.includes('"application":"a long backup"')), PATIENCE)
      await backup.query('COMMIT')
      expect(await migrating).toEqual(['2_age'])
    } finally {
      await backup.end()
    }
  })

  test('one that loses a deadlock against turns that run is retried', async () => {
    await write('1_tries', 'CREATE SEQUENCE tries;')
    const deadlock = `IF nextval('tries') = 1 THEN RAISE deadlock_detected; END IF`
    await write('2_more', `CREATE TABLE more (n int); DO $$ BEGIN ${deadlock}; END $$;`)
    expect(await migrate(database.url, options())).toEqual(['1_tries', '2_more'])
  })

  test('refuses a migration that was edited after it was applied', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await migrate(database.url, options())
    await write('1_people', 'CREATE TABLE people (name text, age int);')
    const error = await refusal(migrate(database.url, options()))
    expect([error.code, error.message]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining('1_people was edited after it was applied'),
    ])
  })

  test('refuses to go on from a migration that another tool left half-way', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await migrate(database.url, options())
    await query('UPDATE _prisma_migrations SET finished_at = NULL')
    const error = await refusal(migrate(database.url, options()))
    expect(error.message).toContain('1_people failed half-way before')
  })

  test('refuses a database of a newer version, and says so', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await write('2_newer', 'CREATE TABLE newer (name text);')
    await migrate(database.url, options())
    await rm(join(directory, '2_newer'), { recursive: true })
    const error = await refusal(migrate(database.url, options()))
    expect(error.message).toMatch(/belongs to a newer version .* \(2_newer\)\. Start that version, or restore a backup/)
  })

  test.each([
    { wrong: 'password', change: { password: 'nonsense' }, code: 'CONFIG_INVALID', says: /refuses the login/ },
    {
      wrong: 'database',
      change: { pathname: '/none' },
      code: 'CONFIG_INVALID',
      says: /"none" does not exist.*createdb/,
    },
    {
      wrong: 'port',
      change: { port: '1' },
      code: 'DATABASE_UNAVAILABLE',
      says: /cannot be reached: connect ECONNREFUSED/,
    },
  ])('says what to change: a wrong $wrong', async ({ change, code, says }) => {
    const url = new URL(database.url)
    const { password } = url
    Object.assign(url, change)
    const error = await refusal(migrate(url.href, options()))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(says)
    expect(error.message).not.toContain(`${password}@`)
  })

  test('says what to change: an address that is none', async () => {
    const error = await refusal(migrate('postgresql://user:p/w@host:port', options()))
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('not a valid address')])
  })
})
