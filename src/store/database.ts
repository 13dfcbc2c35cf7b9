/**
 * The way to PostgreSQL: one pool, shared by hand-written SQL (`query`) and Prisma (`prisma`). What fails on the other side
 * becomes an AppError here, once: DATABASE_UNAVAILABLE (retry) or STORAGE_FULL (retry); anything else is a bug and stays one.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolClient } from 'pg'
import { AppError, messageOf } from '../core/errors.ts'
import { PrismaClient } from '../generated/prisma/client.ts'
import type { Logger } from '../platform/logger.ts'

export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name: string
  readonly text: string
  /** For what may rightly take long. */
  readonly timeoutMs?: number
}

/** Where statements can be run: on any connection, or on that of a transaction. */
export type Queryable = Pick<Database, 'query'>

export interface DatabaseOptions {
  readonly url: string
  readonly maxConnections: number
  readonly logger: Logger
}

/** Texts of Prisma's that are prepared; which there are depends on what clients select. Others are parsed each time. */
const MAX_NAMED_STATEMENTS = 100
/** A request waits this long for a connection, then fails with DATABASE_UNAVAILABLE: callers are told, not left hanging. */
const CONNECT_TIMEOUT_MS = 3000
/** What has no answer by then is given up: a host that vanished without a word must not leave requests and turns hanging. */
const ANSWER_TIMEOUT_MS = 4500
/** PostgreSQL ends a statement that runs longer: it holds locks that others wait for. */
export const STATEMENT_TIMEOUT_MS = 30_000

export class Database {
  readonly url: string
  readonly prisma: PrismaClient
  readonly #pool: Pool
  readonly #statementNames = new Map<string, string>()

  constructor(options: DatabaseOptions) {
    this.url = options.url
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'factotum',
    })
    // An idle connection broke: the pool replaces it; the next query tells whether the database is really gone.
    this.#pool.on('error', (error) => options.logger.warn({ error: messageOf(error) }, 'database connection lost'))
    // While a connection is lent nobody may be listening to it, and an error that nobody hears ends the process. Whoever has borrowed
    // it learns of its end by the next statement.
    this.#pool.on('connect', (client) => {
      client.on('error', (error) => options.logger.debug({ error: messageOf(error) }, 'a database connection broke'))
    })
    this.prisma = new PrismaClient({
      adapter: new PrismaPg(this.#pool, { statementNameGenerator: ({ sql }) => this.#nameOf(sql) }),
    })
  }

  /** Runs one statement in one round trip. */
  async query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return queryOn<Row>(this.#pool, statement, values)
  }

  /**
   * Runs statements on one connection, as one transaction: all of it is stored once `work` resolves, nothing when it rejects. Holds the
   * connection and its locks meanwhile, so there is nothing to wait for in it but the database. When this rejects with
   * DATABASE_UNAVAILABLE, what was written may be stored even so.
   */
  async transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toAppError(error)
    })
    const transaction: Queryable = { query: (statement, values) => queryOn(client, statement, values) }
    try {
      await transaction.query(BEGIN, [])
      const result = await work(transaction)
      await transaction.query(COMMIT, [])
      client.release()
      return result
    } catch (error) {
      // Closing the connection rolls back, also where a ROLLBACK would not get through.
      client.release(true)
      throw error
    }
  }

  /** Empty: not prepared. */
  #nameOf(sql: string): string {
    const known = this.#statementNames.get(sql)
    if (known !== undefined) return known
    const name = this.#statementNames.size < MAX_NAMED_STATEMENTS ? `prisma.${this.#statementNames.size}` : ''
    if (name !== '') this.#statementNames.set(sql, name)
    return name
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect()
    await this.#pool.end()
  }
}

const BEGIN: Statement = { name: '', text: 'BEGIN' }
const COMMIT: Statement = { name: '', text: 'COMMIT' }

async function queryOn<Row extends object>(
  connection: Pool | PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const { timeoutMs, ...text } = statement
  const patience = timeoutMs === undefined ? {} : { query_timeout: timeoutMs }
  try {
    const result = await connection.query<Row>({ ...text, ...patience, values: [...values] })
    return result.rows
  } catch (error) {
    throw toAppError(error)
  }
}

/**
 * What failed on the other side, as an AppError; anything else as it is. Knows errors of pg and, by the code that its driver
 * adapter saw, those of Prisma. SQLSTATE classes: 08 connection, 57P0x shutdown and cannot-connect-now, 53x00 out of memory,
 * connections or another limit, 57014 a statement that took too long, 25006 a server that became a replica, 4000x and 40P01 a
 * statement that lost against another one, 58030 I/O, 53100 disk full
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function toAppError(error: unknown): unknown {
  const codes = codesOf(error)
  if (codes.some((code) => code === '53100')) {
    return new AppError('STORAGE_FULL', 'The database has no disk space left; nothing was stored.', {
      retry: 'backoff',
      cause: error,
    })
  }
  const gone = codes.some((code) => GONE.test(code)) || (codes.length === 0 && SAYS_GONE.test(messageOf(error)))
  return gone ? unavailable(error) : error
}

/** Codes of PostgreSQL, of the system's sockets and of Prisma (P1001 and its kin) that mean "no database right now". */
const GONE =
  /^(08...|25006|40001|40P01|53[234]00|57P0.|57014|58030|ECONN.*|EPIPE|ENOTFOUND|ETIMEDOUT|ENOENT|EHOSTUNREACH|P1001|P1002|P1008|P1017|P2024|P2028|P2034|P2037)$/
/** pg has no codes for these. */
const SAYS_GONE = /timeout|terminated|connection ended|not queryable/i

/** SQLSTATE "connection failure": how the driver adapter's kinds of connection trouble are told on. */
const CONNECTION_FAILURE = '08006'
const CONNECTION_KINDS: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
])

/** What Prisma's driver adapter says of an error. */
interface AdapterCause {
  readonly kind?: unknown
  readonly originalCode?: unknown
}

/** Wherever they are: on pg's own error, in what Prisma wraps, and in what it passes on unwrapped (at the end of a transaction). */
function codesOf(error: unknown): string[] {
  const { code, cause, meta } = (error ?? {}) as {
    code?: unknown
    cause?: AdapterCause | null
    meta?: { driverAdapterError?: { cause?: AdapterCause } }
  }
  const below = [cause, meta?.driverAdapterError?.cause].flatMap((one) => [
    one?.originalCode,
    CONNECTION_KINDS.has(one?.kind) ? CONNECTION_FAILURE : null,
  ])
  return [code, ...below].filter((one) => typeof one === 'string')
}

function unavailable(cause: unknown): AppError {
  return new AppError('DATABASE_UNAVAILABLE', 'The database cannot be reached at the moment; try again shortly.', {
    retry: 'backoff',
    cause,
  })
}
