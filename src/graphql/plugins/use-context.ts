/** What resolvers find in their context (request-context.ts). */
import type { DoorPlugin } from '../operation/caller.ts'
import type { SessionNotifier } from '../live/notify/session-notifier.ts'
import type { CreateContext } from '../request-context.ts'

export interface ContextOptions {
  readonly createContext: CreateContext
  readonly sessionNotifier: SessionNotifier
}

export function useContext({ createContext, sessionNotifier }: ContextOptions): DoorPlugin {
  return {
    onContextBuilding({ context: { caller }, extendContext }) {
      const { viewer, requestId, logger, trace } = caller
      const request = { viewer, requestId, logger, trace, grantedSessionId: null, answer: null }
      extendContext(createContext({ ...request, sessionNotifier }))
    },
  }
}
