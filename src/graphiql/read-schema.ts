/** Asks the server for its schema, with the headers that were typed. */
import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql'
import { post } from './post.ts'
import { hasToken, headersOf } from './headers-of.ts'

/** Null: the headers hold no token yet, or one with which the schema cannot be read. */
export async function readSchema(typed: string, signal: AbortSignal): Promise<GraphQLSchema | null> {
  const headers = headersOf(typed)
  if (headers === null || !hasToken(headers)) return null
  try {
    const query = getIntrospectionQuery()
    const { data } = await post<{ data?: IntrospectionQuery | null }>({ query }, headers, signal)
    return data == null ? null : buildClientSchema(data)
  } catch {
    // Typing goes on, or the server cannot be reached: what is asked next says so.
    return null
  }
}
