/**
 * The way to PostgreSQL: one pool, shared by hand-written SQL (`query`) and Prisma (`prisma`). What fails on the other side
 * becomes an AppError here, once: DATABASE_UNAVAILABLE (retry) or STORAGE_FULL (retry); anything else is a bug and stays one.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { Pool } from 'pg'
import { AppError, messageOf } from '../core/errors.ts'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Logger } from '../platform/logger.ts'

export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name: string
  readonly text: string
}

export interface DatabaseOptions {
  readonly url: string
  readonly maxConnections: number
  readonly logger: Logger
}

/** A request waits this long for a connection, then fails with DATABASE_UNAVAILABLE: callers are told, not left hanging. */
const CONNECT_TIMEOUT_MS = 3000
/** No statement of ours runs longer; one that does holds a lock that others wait for. */
const STATEMENT_TIMEOUT_MS = 30_000

export class Database {
  readonly url: string
  readonly prisma: PrismaClient
  readonly #pool: Pool

  constructor(options: DatabaseOptions) {
    this.url = options.url
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      // A peer that vanished without a word: better an error than a request that hangs for ever.
      query_timeout: STATEMENT_TIMEOUT_MS + 5000,
      keepAlive: true,
      application_name: 'factotum',
    })
    // An idle connection broke: the pool replaces it; the next query tells whether the database is really gone.
    this.#pool.on('error', (error) => options.logger.warn({ error: messageOf(error) }, 'database connection lost'))
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.#pool) })
  }

  /** Runs one statement in one round trip. */
  async query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.#pool.query<Row>({ ...statement, values: [...values] })
      return result.rows
    } catch (error) {
      throw toAppError(error)
    }
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect()
    await this.#pool.end()
  }
}

/** SQLSTATE classes: 08 connection, 57P0x shutdown and cannot-connect-now, 53 insufficient resources (53100 disk full). */
export function toAppError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string') {
    return /timeout|terminated|Connection ended/i.test(messageOf(error)) ? unavailable(error) : error
  }
  if (code === '53100') {
    return new AppError('STORAGE_FULL', 'The database has no disk space left; nothing was stored.', {
      retry: 'backoff',
      cause: error,
    })
  }
  const gone = /^(08|57P0|53300)/.test(code) || /^(ECONN|EPIPE|ENOTFOUND|ETIMEDOUT|ENOENT|EHOSTUNREACH)/.test(code)
  return gone ? unavailable(error) : error
}

function unavailable(cause: unknown): AppError {
  return new AppError('DATABASE_UNAVAILABLE', 'The database cannot be reached at the moment; try again shortly.', {
    retry: 'backoff',
    cause,
  })
}
