import { AppError, messageOf } from '../core/errors.ts'

/**
 * What failed on the other side, as an AppError; anything else as it is. Knows errors of pg and, by the code that its
 * driver adapter saw, those of Prisma. SQLSTATE classes: 08 connection, 57P0x shutdown and cannot-connect-now, 53x00
 * out of memory, connections or another limit, 57014 a statement that took too long, 25P03 a transaction that stood
 * still, 25006 a server that became a replica, 4000x and 40P01 a statement that lost against another one, 58030 I/O,
 * 53100 disk full (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
export function toAppError(error: unknown): unknown {
  const codes = codesOf(error)
  if (codes.some((code) => code === '53100')) {
    return new AppError('STORAGE_FULL', 'The database has no disk space left; nothing was stored.', {
      retry: 'backoff',
      cause: error,
    })
  }
  if (codes.includes(NO_COLUMN)) return unavailable(error, OTHER_SCHEMA)
  const gone = codes.some((code) => GONE.test(code)) || (codes.length === 0 && SAYS_GONE.test(messageOf(error)))
  return gone ? unavailable(error) : error
}

/** Codes of PostgreSQL, of the system's sockets and of Prisma (P1001 and its kin) that mean "no database right now". */
const GONE =
  /^(08...|25006|25P03|40001|40P01|53[234]00|57P0.|57014|58030|ECONN.*|EPIPE|ENOTFOUND|ETIMEDOUT|ENOENT|EHOSTUNREACH|P1001|P1002|P1008|P1017|P2024|P2028|P2034|P2037)$/
/** Of a process that runs on beside the schema of a newer one: that one, or this after an upgrade, can do it. */
const NO_COLUMN = '42703'
const OTHER_SCHEMA = 'The database has the schema of another version of the server; try again shortly.'
/** pg has no codes for these. */
const SAYS_GONE = /timeout|terminated|connection ended|not queryable/i

const AWAY = 'The database cannot be reached at the moment; try again shortly.'

/** SQLSTATE "connection failure": what the driver adapter's kinds of connection failure are mapped to. */
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

/**
 * Wherever they are: on pg's own error, in what Prisma wraps, and in what it passes on unwrapped (at the end of a
 * transaction).
 */
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

function unavailable(cause: unknown, says = AWAY): AppError {
  return new AppError('DATABASE_UNAVAILABLE', says, { retry: 'backoff', cause })
}
