/** The events of a session's log, in order, nothing missing and nothing twice, whatever happens to the connection. */
import type { Connection } from './connection.ts'
import { follow } from './follow.ts'
import { WatchSessionDocument, type EventFieldsFragment } from './generated/graphql.ts'

/**
 * An entry of a session's log, distinguished by `__typename`. The status of a task is its `taskStatus`, that of a turn
 * its `turnStatus`.
 */
export type SessionEvent = EventFieldsFragment

interface FollowOptions {
  /** Only events with a greater seq; 0 is the whole log. Left out: live only, beginning with a SessionSnapshot. */
  readonly after?: number | null | undefined
  readonly signal: AbortSignal
}

/** Ends and throws like `follow`. */
export async function* followEvents(
  connection: Connection,
  sessionId: string,
  { after = null, signal }: FollowOptions,
): AsyncGenerator<SessionEvent, void, void> {
  const variables = { sessionId, after }
  for await (const { sessionEvents } of follow(connection, { document: WatchSessionDocument, variables, signal }))
    yield sessionEvents
}
