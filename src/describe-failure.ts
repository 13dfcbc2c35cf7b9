/**
 * Why a command or a start failed, for the person at the terminal: what went wrong and what to change, and no stack.
 */
import pg from 'pg'
import { AppError, messageOf } from './core/errors.ts'
import { hasCode } from './platform/error-code.ts'
import { NO_CONNECTION_LEFT, noConnectionLeft } from './store/connection/connect-client.ts'
import { toAppError } from './store/to-app-error.ts'

/** What system calls say, in words. `%`: the path. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk of %; make some',
  EDQUOT: 'the quota of the disk of % is used up; raise it, or make space',
  EROFS: '% is on a file system that is mounted read-only; mount it for writing, or choose another folder',
  EACCES: 'this user may not use %; change its owner or mode, or start as its owner',
  EPERM: 'this user may not use %; change its owner or mode, or start as its owner',
  ENOENT: '% is not there',
  EIO: 'the disk of % fails',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  ENOMEM: 'no memory is left',
}

/** `isVerbose`: a bug shows where it is. */
export function describeFailure(error: unknown, { isVerbose }: { readonly isVerbose: boolean }): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const path = error instanceof Error && 'path' in error ? String(error.path) : null
  const system = SYSTEM_ERRORS[code]
  if (system !== undefined && path !== null) return `${system.replace('%', path)} (${messageOf(error)}).`
  const known = toAppError(error)
  if (known instanceof AppError) return withReason(known)
  if (code === 'ERR_MODULE_NOT_FOUND') return describeMissingModule(messageOf(error))
  if (error instanceof pg.DatabaseError) return describeRefusal(error)
  if (system !== undefined) return `${system.replace('%', 'what the server keeps')} (${messageOf(error)}).`
  const stack = error instanceof Error && error.stack !== undefined ? error.stack : messageOf(error)
  if (isVerbose) return `this is a bug.\n${stack}`
  return `this is a bug: ${messageOf(error)}. LOG_LEVEL=debug shows where.`
}

/** What the database said, where the message for clients keeps it to itself. */
function withReason({ code, message, cause }: AppError): string {
  if (hasCode(cause, NO_CONNECTION_LEFT)) return noConnectionLeft(cause).message
  const reason = cause === undefined ? '' : messageOf(cause)
  const isIncluded = code !== 'DATABASE_UNAVAILABLE' || message.includes(reason)
  return isIncluded ? message : `${message} (${reason})`
}

function describeMissingModule(message: string): string {
  const reason = message.split('\n', 1)[0] ?? ''
  if (!reason.includes('/generated/')) return `it is not installed whole: ${reason}. Run "npm ci" in its folder.`
  return 'what is generated is missing. Run "npm ci" in the checkout, with --omit=dev for a server alone.'
}

function describeRefusal({ code, message }: pg.DatabaseError): string {
  const fix =
    code === '42501' ? ' Make the user in DATABASE_URL the owner of the database: ALTER DATABASE … OWNER TO …' : ''
  return `PostgreSQL refuses: ${message} (${code ?? 'no code'}).${fix}`
}
