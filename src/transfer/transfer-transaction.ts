/**
 * The transaction in which a session is exported or imported, on a connection of its own: it lasts as long as who takes
 * or gives the lines likes, and must keep none of the pool's from others meanwhile.
 */
import type pg from 'pg'
import { AppError, messageOf } from '../core/errors.ts'
import { hasCode } from '../platform/error-code.ts'
import type { Queryable, Statement } from '../store/database.ts'
import { WritableClient } from '../store/connection/writable-client.ts'
import { toAppError } from '../store/to-app-error.ts'

const CONNECT_TIMEOUT_MS = 5000
/** Of one statement, which reads or writes one page of rows. */
const STATEMENT_TIMEOUT_MS = 120_000

const BEGIN = {
  /** All of one moment. */
  EXPORT: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  IMPORT: 'BEGIN',
} as const

/** Where, and for how long. */
export interface TransferOptions {
  readonly databaseUrl: string
  /** Aborts when it may take no longer; too late for what is being committed. */
  readonly signal?: AbortSignal
}

/**
 * Rolls back, by closing the connection, when `work` rejects. Rejects with TRANSFER_REFUSED when the database is of
 * another version, and with the signal's reason when that has ended it.
 */
export async function inTransferTransaction<Result>(
  { databaseUrl, signal }: TransferOptions,
  what: keyof typeof BEGIN,
  work: (client: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = new WritableClient({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'factotum session',
  })
  client.on('error', () => {}) // a connection that breaks also fails the statement under way, or the next, which tells
  const breakOff = (): void => void client.connection.stream.destroy()
  signal?.addEventListener('abort', breakOff, { once: true })
  let isCommitting = false
  try {
    await client.connect()
    await client.query(BEGIN[what])
    const result = await work(onConnection(client))
    signal?.throwIfAborted()
    signal?.removeEventListener('abort', breakOff)
    isCommitting = true
    await client.query('COMMIT')
    return result
  } catch (error) {
    if (signal?.aborted === true && !isCommitting) throw signal.reason
    throw hasCode(error, '42P01', '42703', '42883') ? olderDatabase(error) : toAppError(error)
  } finally {
    signal?.removeEventListener('abort', breakOff)
    await client.end()
  }
}

/** Statements on a connection that is not of the pool. */
export function onConnection(client: Pick<pg.Client, 'query'>): Queryable {
  return {
    async query<Row extends object>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
      return (await client.query<Row>({ name, text, values: [...values] })).rows
    },
  }
}

function olderDatabase(cause: unknown): AppError {
  const message = `The database is of another version (${messageOf(cause)}): start the server of this version once.`
  return new AppError('TRANSFER_REFUSED', message, { cause })
}
