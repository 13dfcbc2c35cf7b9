/** Refuses requests for a name that is not this server's (known-host.ts). */
import { GraphQLError } from 'graphql'
import { unknownHost } from '../../http/known-host.ts'
import { jsonResponse } from '../../http/json-response.ts'
import type { DoorPlugin } from '../../operation/caller.ts'

export type IsKnownHost = (host: string | undefined) => boolean

export function useKnownHost(isKnown: IsKnownHost): DoorPlugin {
  return {
    onRequest({ request, endResponse, fetchAPI }) {
      const host = request.headers.get('host')
      if (isKnown(host ?? undefined)) return
      const error = new GraphQLError(unknownHost(host ?? ''), { extensions: { code: 'MISDIRECTED_REQUEST' } })
      endResponse(jsonResponse(fetchAPI, { status: 421, errors: [error], headers: { connection: 'close' } }))
    },
  }
}
