/**
 * The events of a session's log, in order, nothing missing and nothing twice, whatever happens to the connection: after
 * every interruption the subscription begins anew behind the last event that was seen.
 */
import { ClientError } from './client-error.ts'
import type { Connection } from './connection.ts'
import { WatchSessionDocument, type EventFieldsFragment } from './generated/graphql.ts'
import { pause, retryDelayMs } from './pause.ts'

/**
 * An entry of a session's log, distinguished by `__typename`. Two of its types give `status` another name: see the
 * README.
 */
export type SessionEvent = EventFieldsFragment

interface FollowOptions {
  /** Only events with a greater seq; 0 is the whole log. Left out: live only, beginning with a SessionSnapshot. */
  readonly after?: number | null | undefined
  readonly signal: AbortSignal
}

/**
 * Ends when the signal is aborted. Throws ClientError when coming back would not help: no rights (any more), no such
 * session.
 */
export async function* followEvents(
  connection: Connection,
  sessionId: string,
  { after = null, signal }: FollowOptions,
): AsyncGenerator<SessionEvent, void, void> {
  let seen = after
  let failures = 0
  // A getter, so that each time it is sent it has the latest seq.
  const variables = {
    sessionId,
    get after() {
      return seen
    },
  }
  while (!signal.aborted) {
    const opened = connection.opened
    let waitMs = 0
    try {
      for await (const { sessionEvents } of connection.subscribe(WatchSessionDocument, variables, signal)) {
        failures = 0
        seen = sessionEvents.seq
        yield sessionEvents
      }
    } catch (error) {
      if (!(error instanceof ClientError) || !error.isPassing) throw error
      waitMs = error.retryAfterMs ?? 0
    }
    // It was open in between: the trouble is a new one.
    failures = connection.opened > opened ? 1 : failures + 1
    await pause(Math.max(retryDelayMs(failures), waitMs), signal)
  }
}
