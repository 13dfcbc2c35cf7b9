/**
 * The way to PostgreSQL: one pool, shared by hand-written SQL (`query`) and Prisma (`prisma`). What fails on the other
 * side becomes an AppError (`to-app-error.ts`): DATABASE_UNAVAILABLE (retry) or STORAGE_FULL (retry); anything else is
 * a bug and stays one.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolClient } from 'pg'
import { PrismaClient } from '../generated/prisma/client.ts'
import { reasonOf } from '../platform/error-code.ts'
import type { Logger } from '../platform/logger.ts'
import { planAsAsked } from './connection/plan-mode.ts'
import { WritableClient } from './connection/writable-client.ts'
import { toAppError } from './to-app-error.ts'

/**
 * A hand-written statement; its values come with the call. One name must always have the same text: PostgreSQL refuses
 * another one.
 */
export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name: string
  readonly text: string
  /**
   * Planned once per connection: it finds its rows in one way, whatever its values are (`connection/plan-mode.ts`).
   * Null: there is nothing to plan.
   */
  readonly plansOnce?: boolean | null
  /** For what may rightly take long. */
  readonly timeoutMs?: number
}

/** Where statements can be run: on any connection, or on that of a transaction. */
export type Queryable = Pick<Database, 'query'>

interface DatabaseOptions {
  readonly url: string
  readonly maxConnections: number
  readonly logger: Logger
}

/** Of the texts, Prisma's too, that depend on what clients select: so many are prepared, others parsed each time. */
const MAX_NAMED_STATEMENTS = 100
/**
 * A request waits this long for a connection, then fails with DATABASE_UNAVAILABLE: callers get an error instead of
 * hanging.
 */
const CONNECT_TIMEOUT_MS = 3000
/**
 * What has no answer by then is given up: a host that vanished without a word must not leave requests and turns
 * hanging.
 */
const ANSWER_TIMEOUT_MS = 4500
/** PostgreSQL ends a statement that runs longer: it holds locks that others wait for. */
export const STATEMENT_TIMEOUT_MS = 30_000
/** A process that stands still in the middle of a transaction, longer than until it is evicted, loses its locks. */
const STANDS_STILL_MS = 10_000

/** One pool of at most `maxConnections` connections. Opens none until the first statement; `fill` opens them all. */
export class Database {
  readonly url: string
  readonly #pool: Pool
  #prisma: PrismaClient | null = null
  readonly #statementNames = new Map<string, string>()

  constructor(options: DatabaseOptions) {
    this.url = options.url
    this.#pool = new Pool({
      Client: WritableClient,
      connectionString: options.url,
      max: options.maxConnections,
      // Kept when idle: a burst must find them, since to open one takes the longest when the process has most to do.
      min: options.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STANDS_STILL_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'factotum',
    })
    this.#pool.on('connect', planAsAsked)
    // An idle connection broke: the pool replaces it; the next query tells whether the database is really gone.
    this.#pool.on('error', (error) =>
      options.logger.warn({ error: reasonOf(error) }, 'database connection lost; the pool opens another'),
    )
    // A connection that is in use may have no error listener, and an error without one ends the process. The borrower
    // it learns of its end by the next statement.
    this.#pool.on('connect', (client) => {
      client.on('error', (error) => options.logger.debug({ error: reasonOf(error) }, 'a database connection broke'))
    })
  }

  /** Made when it is first asked for: it takes 20 ms to read what tables there are, which a start does without. */
  get prisma(): PrismaClient {
    return (this.#prisma ??= new PrismaClient({
      adapter: new PrismaPg(this.#pool, { statementNameGenerator: ({ sql }) => this.nameOf(sql) }),
    }))
  }

  /** Opens all connections. Repeatable; rejects with DATABASE_UNAVAILABLE. */
  async fill(): Promise<void> {
    await Promise.all(Array.from({ length: this.#pool.options.max }, () => this.query(NOTHING, [])))
  }

  /** How many connections are there, and how many requests wait for one. */
  connections(): { readonly used: number; readonly idle: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool
    return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
  }

  /** Runs one statement in one round trip. */
  async query<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return queryOn<Row>(this.#pool, statement, values)
  }

  /**
   * Runs statements on one connection, as one transaction: all of it is stored once `work` resolves, nothing when it
   * rejects. Holds the connection and its locks meanwhile, so there is nothing to wait for in it but the database. When
   * this rejects with DATABASE_UNAVAILABLE, what was written may be stored even so.
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

  /**
   * Under which name a statement is prepared whose text depends on what clients select. Empty: it is not, since there
   * are too many of them already.
   */
  nameOf(sql: string): string {
    const known = this.#statementNames.get(sql)
    if (known !== undefined) return known
    const name = this.#statementNames.size < MAX_NAMED_STATEMENTS ? `selected.${this.#statementNames.size}` : ''
    if (name !== '') this.#statementNames.set(sql, name)
    return name
  }

  /**
   * Waits for the connections that are in use, then closes all. Call it once, after everything that uses the database
   * has stopped: a later statement, or a second call, rejects.
   */
  async close(): Promise<void> {
    await this.#prisma?.$disconnect()
    await this.#pool.end()
  }
}

/** Takes so long that each needs a connection of its own. */
const NOTHING: Statement = { name: '', text: 'SELECT pg_sleep(0.02)' }
/** A rollback takes back the mode that was set since: no connection is used again after one of ours. */
const BEGIN: Statement = { name: '', text: 'BEGIN', plansOnce: null }
const COMMIT: Statement = { name: '', text: 'COMMIT', plansOnce: null }

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
