/**
 * Who asks. Over HTTP the token stands in `Authorization`, over WebSocket in `connection_init`
 * (src/graphql/socket/web-socket.ts); it never stands in a URL. No operation is parsed without a caller, whatever
 * brought it here.
 */
import { GraphQLError } from 'graphql'
import type { Viewer } from '../../core/identity.ts'
import { must } from '../../platform/must.ts'
import { acceptedOf } from '../http/accepted.ts'
import { bearerToken } from '../http/bearer-token.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import type { Authenticate } from '../socket/connections.ts'

export function useToken(authenticate: Authenticate): DoorPlugin {
  return {
    onRequestParse({ request: { headers }, serverContext }) {
      const token = bearerToken(headers.get('authorization'))
      viewerOf(token, authenticate)
      return {
        onRequestParseDone() {
          // Once more: a body takes as long as its sender likes, and the token may be gone or have other rights by now.
          const viewer = viewerOf(token, authenticate)
          const transport = acceptedOf(headers.get('accept')).events ? 'sse' : 'http'
          const { requestId = '' } = serverContext
          const logger = must(serverContext.logger, 'a request has a logger')
          serverContext.caller = { viewer, requestId, logger, transport }
        },
      }
    },
    onParse({ context: { caller } }) {
      if (caller === undefined) throw unauthenticated(null)
    },
  }
}

/** Throws UNAUTHENTICATED. */
function viewerOf(token: string | null, authenticate: Authenticate): Viewer {
  const viewer = token === null ? null : authenticate(token)
  if (viewer === null) throw unauthenticated(token)
  return viewer
}

function unauthenticated(token: string | null): GraphQLError {
  const message = token === null ? 'Send a token: "Authorization: Bearer <token>".' : 'The token is unknown.'
  return new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED' } })
}
