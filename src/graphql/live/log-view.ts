/**
 * The contract between the schema and the hub for subscriptions that show a session's log.
 *
 * A field of `Subscription` is a log view when it carries `extensions.logView`. It takes `sessionId: ID!` and `after:
 * Int`, its `subscribe` is `servedByHub`, and its `resolve` turns a `LogEntry` (the root value) into the field's value.
 * The view itself may depend on the field's other arguments.
 * What must hold:
 *  - `admits` and `resolve` depend on the entry and on the viewer's access class alone, never on who exactly asks: one
 *    execution serves every subscriber with the same document, variables (`after` aside) and access class.
 *  - The hub has checked that every subscriber may see the session; `RequestContext.grantedSessionId` names it.
 *  - What shows an entry is the entry itself: values that fields expose of it need no execution (event-projection.ts).
 * - Resolvers of common selections stay synchronous: the entry already holds what they need. A promise is allowed, but
 *   it makes the execution of every event asynchronous.
 */
import type { SessionEvent } from '../../core/session-event.ts'
import type { Viewer } from '../../core/identity.ts'
import { BugError } from '../../platform/must.ts'

/**
 * What a subscription without `after` starts with, where the view asks for it. `seq`: the log's end when it was taken.
 */
export interface SessionSnapshot {
  readonly type: 'SessionSnapshot'
  readonly seq: number
  readonly at: Date
  readonly sessionId: string
  readonly turnId: null
  /** Not null: it comes first because `after` lay before things that were removed from the log. */
  readonly removedUpTo: number | null
}

export type LogEntry = SessionEvent | SessionSnapshot

export interface LogView {
  /** Whether the view shows this event. Called once per event and view, not per subscriber; must not throw. */
  readonly admits: (event: SessionEvent) => boolean
  /** The object type that shows the entry. */
  readonly typeNameOf: (entry: LogEntry) => string
  /** Whether a subscription without `after` starts with a `SessionSnapshot`; else it starts with the next event. */
  readonly startsWithSnapshot: boolean
}

/** The `subscribe` of every log view. It is never called: the hub takes these operations before graphql-js would. */
export function servedByHub(): AsyncIterable<LogEntry> {
  throw new BugError('a log view was subscribed to without the hub (src/graphql/live/hub.ts)')
}

/** Makes a log view of the arguments of its field. */
export type ReadLogView = (args: Readonly<Record<string, unknown>>) => LogView

/** The log view that a field declares, or null: then it is an ordinary subscription. */
export function logViewOf(extensions: object): ReadLogView | null {
  return (extensions as { logView?: ReadLogView }).logView ?? null
}

/** Who may see a session at this moment; false for every viewer when there is no such session. */
export type Audience = (viewer: Viewer) => boolean

/**
 * Reads a session's audience: one read, whatever the number of viewers it is then asked about. The one access rule for
 * sessions behind every subscription; it rejects with an AppError when the database cannot be reached.
 */
export type ReadAudience = (sessionId: string) => Promise<Audience>
