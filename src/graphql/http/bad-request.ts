/** A request that is none: what is wrong with it, and the HTTP status that says so. */
import { GraphQLError } from 'graphql'

export const MAX_BODY_BYTES = 1024 * 1024

/** The rest of a body that is too large is not read: the connection is closed after the answer. */
export function tooLarge(): GraphQLError {
  return badRequest(`The body is larger than ${MAX_BODY_BYTES} bytes.`, 413, { connection: 'close' })
}

export function badRequest(
  message: string,
  status = 400,
  headers: Readonly<Record<string, string>> = {},
): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_REQUEST', http: { status, headers } } })
}
