/**
 * For rows that an event, another row or a mutation's result names: they exist unless their session was deleted since.
 */
import { GraphQLError } from 'graphql'

/** Throws NOT_FOUND when the row is gone. */
export async function stillThere<Row>(row: Promise<Row | null | undefined>): Promise<Row> {
  const found = await row
  if (found != null) return found
  throw goneError()
}

/** A row is gone because its session is. */
export function goneError(): GraphQLError {
  return new GraphQLError('The session was deleted in the meantime.', { extensions: { code: 'NOT_FOUND' } })
}
