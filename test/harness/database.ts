/**
 * A migrated, empty database for each test that asks: a copy of the template, in some 40 ms. Nothing is shared or
 * mocked.
 */
import pg from 'pg'
import { inject } from 'vitest'
import { hasCode } from '../../src/platform/error-code.ts'
import { randomHex } from '../../src/platform/random.ts'

declare module 'vitest' {
  // eslint-disable-next-line typescript/consistent-type-definitions -- merges with vitest's
  interface ProvidedContext {
    testPostgres: { readonly adminUrl: string; readonly template: string }
  }
}

export interface TestDatabase extends AsyncDisposable {
  readonly url: string
  /** Cuts all connections to it. */
  drop(): Promise<void>
}

/** `migrated: false` gives an empty database without any table. Only in `*.pg.test.ts` files. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const { adminUrl, template } = inject('testPostgres')
  const name = `factotum_test_${randomHex(8)}`
  // Copying files takes half as long as writing every page through the log.
  const from = migrated ? template : 'template0'
  await keptAdmin(adminUrl).query(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`)
  const drop = (): Promise<void> => dropDatabase(adminUrl, name)
  return { url: databaseUrl(adminUrl, name), drop, [Symbol.asyncDispose]: drop }
}

const kept = new Map<string, pg.Pool>()

/** Connections that this process keeps for its tests: to open one costs as much as to make a database. */
function keptAdmin(url: string): pg.Pool {
  const known = kept.get(url)
  if (known !== undefined) return known
  const pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true })
  pool.on('error', () => {}) // idle, when its server ends
  kept.set(url, pool)
  return pool
}

/** One statement on the server that all test databases live on. */
export async function runAsAdmin(adminUrl: string, sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  try {
    await admin.query(sql)
  } finally {
    await admin.end()
  }
}

const DROP_WITHIN_MS = 60_000
const OBJECT_IN_USE = '55006'

/**
 * Cuts all connections to it. PostgreSQL waits five seconds for these to end, and for its own worker that vacuums; on a
 * busy machine they take longer.
 */
export async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  const beganMs = performance.now()
  for (;;) {
    try {
      await keptAdmin(adminUrl).query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      return
    } catch (error) {
      if (!hasCode(error, OBJECT_IN_USE) || performance.now() - beganMs > DROP_WITHIN_MS) throw error
    }
  }
}

/** The same server, another database. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  return url.href
}
