/**
 * What a client wrote that no state of the server could make right (a cursor of another list, a page of a million): a
 * GraphQL error with code BAD_USER_INPUT. What depends on the state of things is a refusal instead
 * (src/core/refusal.ts).
 */
import { GraphQLError } from 'graphql'

/** `message` says what is wrong and what would be right. */
export function badUserInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })
}
