/** A connection that ends while a caller holds it: an error for them, and never the end of the process. */
import { expect, test, vi } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { toAppError } from '../../src/store/to-app-error.ts'
import { createTestDatabase } from '../harness/database.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'
import { PATIENCE } from '../harness/patience.ts'

test('PostgreSQL compiles none of our statements, whatever it is set to', async () => {
  await using place = await createTestDatabase()
  const database = new Database({
    url: place.url,
    maxConnections: 1,
    logger: createLogger({ level: 'silent', pretty: false }),
  })
  await database.query(
    { name: '', text: `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET jit = on', current_database()); END $$` },
    [],
  )
  await database.close()
  const later = new Database({
    url: place.url,
    maxConnections: 1,
    logger: createLogger({ level: 'silent', pretty: false }),
  })
  try {
    expect(await later.query({ name: '', text: 'SHOW jit' }, [])).toEqual([{ jit: 'off' }])
  } finally {
    await later.close()
  }
})

test('what says so is planned once on a connection, and all else for its values, between each other', async () => {
  await using place = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: place.url, maxConnections: 1, logger })
  const once = { name: 'once', text: 'SELECT id FROM sessions WHERE id = $1', plansOnce: true }
  const listed = { name: 'listed', text: 'SELECT id FROM sessions WHERE source_kind = $1' }
  try {
    for (const value of ['cli:a', 'cli:b', 'cli:c']) {
      expect(await database.query(once, [value])).toEqual([])
      expect(await database.query(listed, [value])).toEqual([])
      expect(await database.prisma.session.findMany({ where: { id: value }, select: { id: true } })).toEqual([])
    }
    await database.transaction(async (transaction) => {
      expect(await transaction.query(once, ['cli:d'])).toEqual([])
      expect(await transaction.query(listed, ['cli:d'])).toEqual([])
    })
    expect(await database.query(PLANS, [])).toEqual([
      { name: 'listed', once: 0, each: 4 },
      { name: 'once', once: 4, each: 0 },
      { name: 'selected', once: 0, each: 3 },
    ])
  } finally {
    await database.close()
  }
})

test('the ends of a transaction leave a connection as it plans, and a rollback does not mislead it', async () => {
  await using place = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: place.url, maxConnections: 1, logger })
  const once = { name: 'once', text: 'SELECT id FROM sessions WHERE id = $1', plansOnce: true }
  const mode = { name: '', text: 'SHOW plan_cache_mode', plansOnce: null }
  const isOnce = [{ plan_cache_mode: 'force_generic_plan' }]
  try {
    await database.query(once, ['cli:a'])
    expect(await database.transaction((transaction) => transaction.query(mode, []))).toEqual(isOnce)
    expect(await database.query(mode, [])).toEqual(isOnce)
    const refused = new Error('refused')
    const broken = database.prisma.$transaction(async (it) => {
      await it.session.findMany({ where: { id: 'cli:a' }, select: { id: true } })
      throw refused
    })
    await expect(broken).rejects.toBe(refused)
    await database.prisma.session.findMany({ where: { id: 'cli:a' }, select: { id: true } })
    expect(await database.query(mode, [])).toEqual([{ plan_cache_mode: 'auto' }])
  } finally {
    await database.close()
  }
})

/** How often each prepared statement of the connection was run with one plan for all values, or with its own. */
const PLANS = {
  name: '',
  text: `SELECT split_part(name, '.', 1) AS name, generic_plans::int AS once, custom_plans::int AS each
    FROM pg_prepared_statements WHERE name <> '' ORDER BY 1`,
}

const ONE = { name: '', text: 'SELECT 1 AS one' }
const DEATHS = {
  'as it is lent': (proxy: TcpProxy) => proxy.dieWhenReady(),
  'at a statement': (proxy: TcpProxy) => proxy.dieAt('SELECT'),
  'at the beginning': (proxy: TcpProxy) => proxy.dieAt('BEGIN'),
  'at the end': (proxy: TcpProxy) => proxy.dieAt('COMMIT'),
} as const
const USES = {
  'a statement': (database: Database) => database.query(ONE, []),
  'a statement of Prisma': (database: Database) => database.prisma.session.findMany(),
  'a transaction': (database: Database) => database.transaction((transaction) => transaction.query(ONE, [])),
  'a transaction of Prisma': (database: Database) => database.prisma.$transaction((it) => it.session.findMany()),
} as const

test.each([
  ['a statement', 'as it is lent'],
  ['a statement', 'at a statement'],
  ['a statement of Prisma', 'as it is lent'],
  ['a statement of Prisma', 'at a statement'],
  ['a transaction', 'as it is lent'],
  ['a transaction', 'at the beginning'],
  ['a transaction', 'at a statement'],
  ['a transaction', 'at the end'],
  ['a transaction of Prisma', 'as it is lent'],
  ['a transaction of Prisma', 'at the beginning'],
  ['a transaction of Prisma', 'at a statement'],
  ['a transaction of Prisma', 'at the end'],
] as const)('%s whose connection dies %s is refused, and soon it works again', async (use, death) => {
  await using place = await createTestDatabase()
  await using proxy = await TcpProxy.start(place.url)
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: proxy.through(place.url), maxConnections: 1, logger })
  const run = (): Promise<unknown> => Promise.resolve(USES[use](database))
  try {
    DEATHS[death](proxy)
    const refused = await run().catch(toAppError)
    expect(refused).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retry: 'backoff' })
    proxy.live()
    // Prisma may give a connection back that is about to break: its next user is refused, and the one after that is
    // not.
    await vi.waitFor(run, PATIENCE)
  } finally {
    await database.close()
  }
})

test('what a process that stands still holds in a transaction is freed without it, and it goes on', async () => {
  await using place = await createTestDatabase()
  const logger = createLogger({ level: 'silent', pretty: false })
  const [still, other] = [1, 2].map(() => new Database({ url: place.url, maxConnections: 1, logger }))
  if (still === undefined || other === undefined) throw new Error('two were made')
  const lock = { name: '', text: 'SELECT pg_advisory_xact_lock(1)' }
  try {
    const stopped = still.transaction(async (transaction) => {
      const [limit] = await transaction.query({ name: '', text: 'SHOW idle_in_transaction_session_timeout' }, [])
      expect(limit).not.toEqual({ idle_in_transaction_session_timeout: '0' })
      await transaction.query({ name: '', text: `SET idle_in_transaction_session_timeout = '50ms'` }, [])
      await transaction.query(lock, [])
      await other.query(lock, [])
      await transaction.query(lock, [])
    })
    await expect(stopped).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await still.query(lock, [])
  } finally {
    await Promise.all([still.close(), other.close()])
  }
})
