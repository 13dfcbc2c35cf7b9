/**
 * What the client throws. Refusals that a person can act on are no errors: mutations return them as values. Thrown is
 * what ends an operation: no rights, no such session, a document or a speed the server does not take, or no server.
 */

import { CLIENT_VERSION } from './client-version.ts'

/** `extensions.code` of the server's errors, and two of the client's own. */
export type ClientErrorCode =
  /** No answer: the network, a proxy or the server is down. */
  | 'UNREACHABLE'
  /** Something answered that is not this server, or not of this version. */
  | 'BAD_RESPONSE'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'MISDIRECTED_REQUEST'
  | 'QUERY_TOO_COMPLEX'
  | 'RESPONSE_TOO_LARGE'
  /** Of subscriptions to parts of a log: events behind `after` were removed for their age. */
  | 'CURSOR_TOO_OLD'
  | 'RATE_LIMITED'
  | 'LIMIT_EXCEEDED'
  | 'OVERLOADED'
  | 'DATABASE_UNAVAILABLE'
  | 'STORAGE_FULL'
  | 'INTERNAL_SERVER_ERROR'

/** An error of the server, as it stands in a GraphQL result. */
export interface ServerError {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** The client comes back by itself after these, as long as it is allowed to. */
const PASSING = /^(UNREACHABLE|RATE_LIMITED|OVERLOADED|DATABASE_UNAVAILABLE|STORAGE_FULL)$/

/** What to do about it, where the server's sentence cannot say it. */
const HINT_WHEN_INVALID = ` (client ${CLIENT_VERSION}; npm install <server>/client.tgz)`

/** Why an operation ended; `message` is a sentence that can be shown to a person. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  /** How long the server asks to wait before the next try; null when it does not say. */
  readonly retryAfterMs: number | null

  constructor(
    code: ClientErrorCode,
    message: string,
    { retryAfterMs = null, cause }: { readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.retryAfterMs = retryAfterMs
  }

  /** The same may go well later. */
  get isPassing(): boolean {
    return PASSING.test(this.code)
  }

  /** The first of a result's errors. */
  static ofServer(errors?: readonly ServerError[]): ClientError {
    const first = errors?.[0]
    const { code, retryAfterMs } = first?.extensions ?? {}
    const hint = code === 'GRAPHQL_VALIDATION_FAILED' ? HINT_WHEN_INVALID : ''
    return new ClientError(
      // A server of a later version may have codes that this one does not know; they are passed on as they are.
      typeof code === 'string' ? (code as ClientErrorCode) : 'BAD_RESPONSE',
      first?.message ? first.message + hint : 'No data came.',
      { retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : null },
    )
  }
}

/** Itself, or for anything else that was thrown one of `code`, with its message behind `before` and as its cause. */
export function asClientError(error: unknown, code: ClientErrorCode = 'BAD_RESPONSE', before = ''): ClientError {
  if (error instanceof ClientError) return error
  return new ClientError(code, before + (error instanceof Error ? error.message : String(error)), { cause: error })
}
