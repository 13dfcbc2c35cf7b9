/** Which HTTP status and headers go with a refusal. Clients of plain JSON expect 200 with errors of their document. */
import type { GraphQLError } from 'graphql'
import type { DoorPlugin } from '../../operation/caller.ts'

interface HttpPart {
  readonly status: number
  /** For clients of plain JSON it is 200. */
  readonly spec?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export function useHttpStatus(): DoorPlugin {
  return {
    onResultProcess({ result }) {
      if (Array.isArray(result) || Symbol.asyncIterator in result || result.errors === undefined) return
      const isRefused = result.data === undefined
      for (const error of result.errors) setHttp(error, isRefused)
    },
  }
}

function setHttp(error: GraphQLError, isRefused: boolean): void {
  const http = httpOf(error)
  if (http !== null) error.extensions['http'] = { ...http }
  else if (isRefused) error.extensions['http'] ??= { status: 400, spec: true }
}

/** Null: nothing special. */
function httpOf({ extensions: { code, retryAfterMs, http } }: GraphQLError): HttpPart | null {
  // No GraphQL request at all, which is 400 in every form of answer.
  if (code === 'BAD_REQUEST') return { status: http?.status ?? 400, headers: http?.headers ?? {} }
  const headers = { 'retry-after': String(Math.ceil(Number(retryAfterMs) / 1000)) }
  if (code === 'OVERLOADED') return { status: 503, headers }
  if (code === 'RATE_LIMITED') return { status: 429, headers }
  if (code === 'UNAUTHENTICATED') return { status: 401, headers: { 'www-authenticate': 'Bearer' } }
  // As clients of the protocol for persisted queries expect it: they send the operation again, with its text.
  if (code === 'PERSISTED_QUERY_NOT_FOUND') return { status: 200 }
  return null
}
