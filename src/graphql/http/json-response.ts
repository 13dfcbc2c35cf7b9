/** An answer that is given before there is a GraphQL result, in the form of one. */
import type { FetchAPI } from 'graphql-yoga'
import { PLAIN_JSON } from './accepted.ts'

export interface JsonAnswer {
  readonly status: number
  /** As they stand in the answer. */
  readonly errors: readonly object[]
  readonly headers?: Readonly<Record<string, string>>
}

export function jsonResponse({ Response }: FetchAPI, { status, errors, headers = {} }: JsonAnswer): Response {
  const contentType = `${PLAIN_JSON}; charset=utf-8`
  return new Response(JSON.stringify({ errors }), { status, headers: { 'content-type': contentType, ...headers } })
}
