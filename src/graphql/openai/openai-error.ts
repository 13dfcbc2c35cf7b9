/** What is wrong with a request, as OpenAI's API says it. */
import { GraphQLError } from 'graphql'
import { httpOf } from '../protocols/admit.ts'
import { Refused, statusOf } from '../protocols/refused.ts'
import type { WaitEnd } from '../protocols/waiting-client.ts'

export interface OpenAIErrorOptions {
  readonly status: number
  readonly code: string
  readonly param?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Whether clients may send it again by themselves; undefined: as they do for its status. */
  readonly retry?: boolean
}

export class OpenAIError extends Error {
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(message: string, { status, code, param = null, headers = {}, retry }: OpenAIErrorOptions) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
    this.headers = retry === undefined ? headers : { ...headers, 'x-should-retry': String(retry) }
  }

  get body(): { readonly error: Readonly<Record<string, string | null>> } {
    const { message, param, code } = this
    return { error: { message, type: typeOf(this.status), param, code } }
  }
}

export function invalid(message: string, param: string | null, code = 'invalid_value'): OpenAIError {
  return new OpenAIError(message, { status: 400, code, param })
}

/** Null: it is none of the client's business. */
export function toOpenAIError(error: unknown): OpenAIError | null {
  if (error instanceof OpenAIError) return error
  if (error instanceof Refused) return ofRefused(error)
  if (!(error instanceof GraphQLError)) return null
  const { status, headers, code } = httpOf(error)
  return new OpenAIError(error.message, {
    status,
    headers,
    code: code === 'UNAUTHENTICATED' ? 'invalid_api_key' : code.toLowerCase(),
  })
}

function ofRefused(refused: Refused): OpenAIError {
  const { message, code, retryAfterMs } = refused
  const status = statusOf(refused)
  const seconds = retryAfterMs === null ? null : String(Math.ceil(retryAfterMs / 1000))
  const headers = seconds === null ? {} : { 'retry-after': seconds }
  // A limit without a time, such as a quota, is not over in a few seconds.
  const inVain = status === 409 || (status === 429 && seconds === null)
  return new OpenAIError(message, {
    status,
    code: (code ?? 'server_error').toLowerCase(),
    headers,
    ...(inVain ? { retry: false } : {}),
  })
}

/**
 * Why there is no answer yet. Sent again by the client's library, each of them finds the same turn; by hand only with
 * an Idempotency-Key.
 */
export function ofWaitEnd(end: WaitEnd | null, isRepeatable: boolean): OpenAIError {
  const again = isRepeatable
    ? 'Send it again to wait for it.'
    : 'Sent again it is another message, unless both have the same Idempotency-Key.'
  switch (end) {
    case 'TOKEN_REMOVED':
      return new OpenAIError('The token is not valid any more.', { status: 401, code: 'invalid_api_key' })
    case 'RIGHTS_CHANGED':
      return new OpenAIError(`The token's rights have changed; the turn goes on. ${again}`, {
        status: 503,
        code: 'rights_changed',
      })
    case 'LATE':
      return new OpenAIError(`The time is over; the turn goes on. ${again}`, {
        status: 504,
        code: 'timeout',
      })
    case 'GOING_AWAY':
    case 'LEFT':
    case null:
      return new OpenAIError(`The server is stopping; the turn goes on. ${again}`, {
        status: 503,
        code: 'shutting_down',
        headers: { 'retry-after': '1' },
      })
  }
}

/** The turn ended without an answer. */
export class TurnBroken extends OpenAIError {}

/**
 * A status with which no library sends the message again by itself: it would be another one, whose commands run once
 * more. Not all read `x-should-retry`.
 */
const ENDED = { status: 422, retry: false } as const

export function ofEndedTurn(status: string, failure: string | null): TurnBroken {
  if (status === 'CANCELLED') return new TurnBroken('The turn was cancelled.', { ...ENDED, code: 'turn_cancelled' })
  return new TurnBroken(failure ?? 'The turn failed.', { ...ENDED, code: 'turn_failed' })
}

function typeOf(status: number): string {
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
