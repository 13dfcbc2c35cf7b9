/**
 * A migrated database on PostgreSQL with pgvector, in this process (PGlite: the same code as WebAssembly), behind a
 * socket. There is one session for all its connections: what they prepare, lock and set they share.
 */
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import { vector } from '@electric-sql/pglite-pgvector'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { systemClock } from '../../src/platform/clock.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { migrate } from '../../src/store/connection/migrate.ts'

export interface PgvectorDatabase extends AsyncDisposable {
  readonly url: string
}

export async function startPgvectorDatabase(): Promise<PgvectorDatabase> {
  await using cleanup = new AsyncDisposableStack()
  const db = await PGlite.create({ extensions: { vector, pg_trgm, unaccent } })
  cleanup.defer(() => db.close())
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: 4 })
  await server.start()
  cleanup.defer(() => server.stop())
  const url = `postgres://postgres:none@${server.getServerConn()}/postgres?sslmode=disable`
  await migrate(url, { logger: createLogger({ level: 'warn', pretty: false }), clock: systemClock })
  const teardown = cleanup.move()
  return { url, [Symbol.asyncDispose]: () => teardown.disposeAsync() }
}
