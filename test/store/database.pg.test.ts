/** A connection that ends while somebody holds it: an error for them, and never the end of the process. */
import { expect, test } from 'vitest'
import { createLogger } from '../../src/platform/logger.ts'
import { Database } from '../../src/store/database.ts'
import { createTestDatabase } from '../harness/database.ts'
import { TcpProxy } from '../harness/tcp-proxy.ts'

const ONE = { name: '', text: 'SELECT 1 AS one' }

test.each([
  ['a transaction', (database: Database) => database.transaction((transaction) => transaction.query(ONE, []))],
  ['a transaction of Prisma', (database: Database) => database.prisma.$transaction((it) => it.session.findMany())],
  ['a statement', (database: Database) => database.query(ONE, [])],
])('%s whose connection dies as it is lent fails, and the next one works', async (_what, use) => {
  await using place = await createTestDatabase()
  await using proxy = await TcpProxy.start(place.url)
  const logger = createLogger({ level: 'silent', pretty: false })
  const database = new Database({ url: proxy.through(place.url), maxConnections: 1, logger })
  try {
    proxy.dieWhenReady()
    await expect(use(database)).rejects.toBeInstanceOf(Error)
    proxy.live()
    await use(database)
  } finally {
    await database.close()
  }
})
