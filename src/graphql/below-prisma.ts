/**
 * Prisma wraps what the database driver reports in errors of its own. This finds the code underneath, so that the one rule of
 * what counts as "the database is away" (`toAppError`) holds for reads through Prisma as for hand-written SQL.
 */

/** SQLSTATE "connection failure": how the adapter's kinds of connection trouble are told on. */
const CONNECTION_FAILURE = '08006'
const CONNECTION_KINDS: ReadonlySet<string> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
])

interface AdapterCause {
  readonly kind?: unknown
  readonly originalCode?: unknown
}

/** An error with the driver's code, or the error itself when it is none of Prisma's. */
export function belowPrisma(error: unknown): unknown {
  const cause = (error as { meta?: { driverAdapterError?: { cause?: AdapterCause } } } | null)?.meta?.driverAdapterError
    ?.cause
  if (cause === undefined) return error
  const code = typeof cause.originalCode === 'string' ? cause.originalCode : codeOfKind(cause.kind)
  return code === null ? error : Object.assign(new Error('The database refused.', { cause: error }), { code })
}

function codeOfKind(kind: unknown): string | null {
  return typeof kind === 'string' && CONNECTION_KINDS.has(kind) ? CONNECTION_FAILURE : null
}
