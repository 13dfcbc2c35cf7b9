/** One connection of its own, before there is a pool, and what to change when there is none to be had. */
import pg from 'pg'
import { hostAddresses } from '../../config/database-address.ts'
import { AppError, messageOf } from '../../core/errors.ts'
import { hasCode } from '../../platform/error-code.ts'
import { SESSION_OPTIONS } from './session-options.ts'
import { writableAddress } from './writable-client.ts'

const CONNECT_TIMEOUT_MS = 5000
/** As pg says it, without a code. */
const NO_TLS = 'The server does not support SSL connections'
/** As PgBouncer says it, under a code that PostgreSQL has for much else. */
const NO_SETTINGS = 'unsupported startup parameter'

/**
 * To the one host that `url` names, whatever it is, or of several to the first that takes writes.
 * `applicationName`: what PostgreSQL's `pg_stat_activity` shows. Throws CONFIG_INVALID when a person must act (wrong
 * address, password or database), DATABASE_UNAVAILABLE (retry: backoff) when the server cannot be reached now.
 */
export async function connectClient(url: string, applicationName: string): Promise<pg.Client> {
  try {
    const addresses = hostAddresses(url)
    const db = new pg.Client({
      connectionString: addresses.length === 1 ? url : await writableAddress(addresses),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: applicationName,
      options: SESSION_OPTIONS,
    })
    db.on('error', () => {}) // a connection that breaks also fails the query under way, which tells
    await db.connect()
    return db
  } catch (error) {
    throw cannotConnect(error)
  }
}

/** SQLSTATE class 28: not allowed in; 3D000: no such database. The URL holds a password, so no message quotes it. */
export function cannotConnect(cause: unknown): AppError {
  const reason = messageOf(cause) || String((cause as { code?: unknown }).code)
  if (hasCode(cause, '28P01', '28000')) {
    return new AppError('CONFIG_INVALID', `PostgreSQL refuses the login: ${reason}. Correct DATABASE_URL.`, { cause })
  }
  if (hasCode(cause, 'ERR_INVALID_URL')) {
    return new AppError(
      'CONFIG_INVALID',
      'DATABASE_URL is not a valid address (is a special character not percent-encoded?).',
    )
  }
  if (hasCode(cause, '3D000')) {
    return new AppError('CONFIG_INVALID', `${reason}. Create it (createdb), or correct DATABASE_URL.`, { cause })
  }
  if (reason === NO_TLS) {
    const fix = 'Turn it on there (ssl = on), or take sslmode out of DATABASE_URL.'
    return new AppError('CONFIG_INVALID', `PostgreSQL takes no encrypted connections. ${fix}`, { cause })
  }
  if (reason.startsWith(NO_SETTINGS)) {
    const says = `DATABASE_URL leads to a pooler that takes no settings for a connection (${reason})`
    return new AppError('CONFIG_INVALID', `${says}. Give the address of PostgreSQL itself.`, { cause })
  }
  if (hasCode(cause, NO_CONNECTION_LEFT)) return noConnectionLeft(cause)
  return new AppError('DATABASE_UNAVAILABLE', `PostgreSQL cannot be reached: ${reason}. Is DATABASE_URL right?`, {
    retry: 'backoff',
    cause,
  })
}

/** SQLSTATE of "too many clients", also of one role or one database. */
export const NO_CONNECTION_LEFT = '53300'

/** It passes when another process ends, so a start goes on waiting for it. */
export function noConnectionLeft(cause: unknown): AppError {
  const fix = 'Raise its max_connections, or lower DATABASE_CONNECTIONS of the processes.'
  const message = `PostgreSQL has no connection left for this process (${messageOf(cause)}). ${fix}`
  return new AppError('DATABASE_UNAVAILABLE', message, { retry: 'backoff', cause })
}
