import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { AppError } from '../../src/core/errors.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrate } from '../../src/store/migrate.ts'

const silent = createLogger({ level: 'silent', pretty: false })

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
    expect(await migrate(database.url, silent, directory)).toEqual(['1_people'])
    await write(
      '2_greet',
      `INSERT INTO people VALUES ('anna; bob');
       CREATE FUNCTION greet() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'hi;'; END $$;`,
    )
    expect(await migrate(database.url, silent, directory)).toEqual(['2_greet'])
    expect(await migrate(database.url, silent, directory)).toEqual([])
    expect(await query('SELECT name, greet() FROM people')).toEqual([{ name: 'anna; bob', greet: 'hi;' }])
  })

  test('of many processes at once one migrates, the others wait for it', async () => {
    await write('1_slow', 'CREATE TABLE slow (n int); SELECT pg_sleep(0.2);')
    await write('2_next', 'INSERT INTO slow VALUES (1);')
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, silent, directory)))
    expect(applied.filter((names) => names.length > 0)).toEqual([['1_slow', '2_next']])
    expect(await query('SELECT n FROM slow')).toEqual([{ n: 1 }])
  })

  test('a migration that fails leaves nothing behind and can be tried again', async () => {
    await write('1_good', 'CREATE TABLE good (n int);')
    await write('2_bad', 'CREATE TABLE half (n int); SELECT nonsense;')
    const error = await refusal(migrate(database.url, silent, directory))
    expect(error.message).toBe('Migration 2_bad failed and was rolled back: column "nonsense" does not exist.')
    expect(await query(`SELECT to_regclass('good')::text AS good, to_regclass('half')::text AS half`)).toEqual([
      { good: 'good', half: null },
    ])
    await write('2_bad', 'CREATE TABLE half (n int);')
    expect(await migrate(database.url, silent, directory)).toEqual(['2_bad'])
  })

  test('refuses a migration that was edited after it was applied', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await migrate(database.url, silent, directory)
    await write('1_people', 'CREATE TABLE people (name text, age int);')
    const error = await refusal(migrate(database.url, silent, directory))
    expect([error.code, error.message]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining('1_people was edited after it was applied'),
    ])
  })

  test('refuses to go on from a migration that another tool left half-way', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await migrate(database.url, silent, directory)
    await query('UPDATE _prisma_migrations SET finished_at = NULL')
    const error = await refusal(migrate(database.url, silent, directory))
    expect(error.message).toContain('1_people failed half-way before')
  })

  test('runs on a database that is ahead of it, with a warning', async () => {
    await write('1_people', 'CREATE TABLE people (name text);')
    await write('2_newer', 'CREATE TABLE newer (name text);')
    await migrate(database.url, silent, directory)
    await rm(join(directory, '2_newer'), { recursive: true })
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
    expect(await migrate(database.url, logger, directory)).toEqual([])
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ migrations: ['2_newer'], msg: expect.stringContaining('ahead of this build') }),
    ])
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
    const error = await refusal(migrate(url.href, silent, directory))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(says)
    expect(error.message).not.toContain(`${password}@`)
  })

  test('says what to change: an address that is none', async () => {
    const error = await refusal(migrate('postgresql://user:p/w@host:port', silent, directory))
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', expect.stringContaining('not a valid address')])
  })
})
