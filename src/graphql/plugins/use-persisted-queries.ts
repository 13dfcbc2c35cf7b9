/**
 * Operations that are named by the hash of their text (persisted-queries.ts). What is named is checked as any other.
 */
import { GraphQLError } from 'graphql'
import { badRequest } from '../http/bad-request.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import { hashIn, type PersistedQueries } from '../operation/persisted-queries.ts'

export function usePersistedQueries(queries: PersistedQueries): DoorPlugin {
  return {
    onParams({ params, setParams }) {
      setParams(queries.resolve(params))
    },
    onParse({ context: { params } }) {
      const hash = hashIn(params)
      if (hash === null) return
      const { query = '' } = params
      if (query === '') throw notFound()
      if (!queries.keep(hash, query))
        throw badRequest('"sha256Hash" is not the SHA-256 of "query", in lower-case hexadecimal.')
    },
  }
}

/** In the words that client libraries search for. */
function notFound(): GraphQLError {
  return new GraphQLError('PersistedQueryNotFound', { extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } })
}
