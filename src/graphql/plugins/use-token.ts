/**
 * Who asks. Over HTTP the token stands in `Authorization`, over WebSocket in `connection_init`
 * (src/graphql/socket/web-socket.ts); it never stands in a URL. Pages of this server send the cookie of a login
 * instead. No operation is parsed without a caller, whatever brought it here.
 */
import { GraphQLError } from 'graphql'
import type { Credential, Viewer } from '../../core/identity.ts'
import { must } from '../../platform/must.ts'
import { readTrace } from '../../telemetry/trace-parent.ts'
import { UNKNOWN_TOKEN } from '../http/bearer-token.ts'
import { acceptedOf } from '../http/accepted.ts'
import type { CredentialOf } from '../login/credential.ts'
import type { DoorPlugin } from '../operation/caller.ts'
import type { Authenticate } from '../socket/connections.ts'

export interface TokenOptions {
  readonly authenticate: Authenticate
  readonly credentialOf: CredentialOf
}

export function useToken({ authenticate, credentialOf }: TokenOptions): DoorPlugin {
  return {
    onRequestParse({ request, serverContext }) {
      const credential = credentialOf(request)
      viewerOf(credential, authenticate)
      return {
        onRequestParseDone() {
          // Once more: a body takes as long as its sender likes, and the token may be gone or have other rights by now.
          const viewer = viewerOf(credential, authenticate)
          const transport = acceptedOf(request.headers.get('accept')).events ? 'sse' : 'http'
          const { requestId = '' } = serverContext
          const logger = must(serverContext.logger, 'a request has a logger')
          const trace = readTrace((name) => request.headers.get(name))
          serverContext.caller = { viewer, requestId, logger, transport, trace }
        },
      }
    },
    onParse({ context: { caller } }) {
      if (caller === undefined) throw unauthenticated(null)
    },
  }
}

/** Throws UNAUTHENTICATED. */
function viewerOf(credential: Credential | null, authenticate: Authenticate): Viewer {
  const viewer = credential === null ? null : authenticate(credential)
  if (viewer === null) throw unauthenticated(credential)
  return viewer
}

function unauthenticated(credential: Credential | null): GraphQLError {
  const message = credential === null ? NOTHING : credential.kind === 'TOKEN' ? UNKNOWN_TOKEN : LOGGED_OUT
  return new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED' } })
}

const NOTHING = 'Send a token: "Authorization: Bearer <token>".'
/** Also because its token was removed. */
const LOGGED_OUT = 'You are logged out here: log in again.'
