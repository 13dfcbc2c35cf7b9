/** Pages of the logs of many sessions in one statement, for `Session.events` below lists of sessions. */
import type { SessionEvent } from '../../../core/session-event.ts'
import type { Database, Statement } from '../../../store/database.ts'
import { isKnownEventType } from '../session/session-event.ts'

interface EventRow {
  readonly session_id: string
  readonly seq: number
  readonly at: Date
  readonly turn_id: string | null
  readonly type: string
  readonly data: object
}

const EVENT_PAGES: Statement = {
  name: 'event-pages',
  text: `
    SELECT event.*
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT session_id, seq, at, turn_id, type, data FROM events
      WHERE session_id = parent.id AND seq > $2 ORDER BY seq LIMIT $3
    ) event
    ORDER BY event.seq`,
}

/**
 * The first `limit` events after seq `after` of each session, oldest first; without those that only a newer version
 * knows.
 */
export async function readEventPages(
  database: Database,
  page: { readonly after: number; readonly limit: number },
  sessionIds: readonly string[],
): Promise<Map<string, SessionEvent[]>> {
  const rows = await database.query<EventRow>(EVENT_PAGES, [sessionIds, page.after, page.limit])
  const pages = new Map(sessionIds.map((id) => [id, [] as SessionEvent[]]))
  for (const { session_id: sessionId, seq, at, turn_id: turnId, type, data } of rows) {
    if (isKnownEventType(type))
      pages.get(sessionId)?.push({ ...data, type, seq, at, sessionId, turnId } as SessionEvent)
  }
  return pages
}
