/** What is refused of an operation that a protocol runs, as a value, which each protocol puts in its own words. */
import type { GraphQLError } from 'graphql'

/** What every refusal may have. */
export interface RefusalData {
  readonly code?: string
  readonly problem?: string
  readonly issues?: readonly { readonly path: readonly string[]; readonly problem: string }[]
  readonly reason?: string
  readonly retryAfterMs?: number | null
}

/** To spread as `...Refusal`. */
export const REFUSAL = `fragment Refusal on Refusal {
  code
  problem
  ... on InvalidInputRefusal { issues { path problem } }
  ... on ConflictRefusal { reason }
  ... on LimitExceededRefusal { retryAfterMs }
}`

interface RefusedDetails {
  readonly code?: string | undefined
  /** Of a conflict. */
  readonly reason?: string | undefined
  readonly retryAfterMs?: number | null | undefined
}

/** Why the caller does not get it, as a sentence for them. */
export class Refused extends Error {
  /** Of a RefusalCode or of a GraphQL error; null: there is none. */
  readonly code: string | null
  readonly reason: string | null
  readonly retryAfterMs: number | null

  constructor(sentence: string, { code, reason, retryAfterMs }: RefusedDetails = {}) {
    super(sentence)
    this.code = code ?? null
    this.reason = reason ?? null
    this.retryAfterMs = retryAfterMs ?? null
  }
}

export function refusedBy(errors: readonly GraphQLError[] | undefined): Refused {
  const [error] = errors ?? []
  if (error === undefined) return new Refused('There was no answer.')
  const { code, retryAfterMs } = error.extensions as { readonly code?: string; readonly retryAfterMs?: number }
  return new Refused(error.message, { code, retryAfterMs })
}

/** Throws a refusal as Refused. */
export function accepted<Payload>(refusal: RefusalData, payload: Payload | null | undefined): Payload {
  if (payload != null) return payload
  const { problem = 'It was refused.', ...details } = refusal
  throw new Refused(problem, details)
}

const STATUSES: Readonly<Record<string, number>> = {
  INVALID_INPUT: 400,
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  LIMIT_EXCEEDED: 429,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
  DATABASE_UNAVAILABLE: 503,
  STORAGE_FULL: 503,
  SHUTTING_DOWN: 503,
}

/** As HTTP says it. */
export function statusOf({ code }: Refused): number {
  return STATUSES[code ?? ''] ?? 500
}
