/** Gives each HTTP request an id, for its log lines and for the client to quote. */
import { randomHex } from '../../../platform/random.ts'
import type { Logger } from '../../../platform/logger.ts'
import type { DoorPlugin } from '../../operation/caller.ts'

export const REQUEST_ID = 'x-request-id'

export function useRequestId(logger: Logger): DoorPlugin {
  return {
    onRequest({ request, serverContext }) {
      const requestId = requestIdOf(request.headers.get(REQUEST_ID))
      serverContext.requestId = requestId
      serverContext.logger = logger.child({ requestId })
    },
    onResponse({ response, serverContext: { requestId } }) {
      if (requestId !== undefined) response.headers.set(REQUEST_ID, requestId)
    },
  }
}

/** The client's own id, when it is one that a log line can hold. */
export function requestIdOf(given: unknown): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomHex(8)
}
