/** Pages of the logs of many sessions in one statement, for `Session.events` below lists of sessions. */
import { isKnownEventType, type SessionEvent, type SessionEventType } from '../../../core/session-event.ts'
import type { Database, Statement } from '../../../store/database.ts'
import { badUserInput } from '../values/bad-user-input.ts'
import type { PageArguments } from './page-request.ts'
import type { Page } from './page.ts'

/** Which page of each log: events between two seqs, from one end, of some types. */
export interface EventPage {
  readonly after: number | null
  readonly before: number | null
  readonly size: number
  readonly fromEnd: boolean
  /** Null: all. */
  readonly types: readonly SessionEventType[] | null
}

/** The cursors of a log are its seqs. Throws BAD_USER_INPUT for what is none. */
export function readEventPage(args: PageArguments, { size, types }: Pick<EventPage, 'size' | 'types'>): EventPage {
  return {
    after: args.after == null ? null : readSeq('after', args.after),
    before: args.before == null ? null : readSeq('before', args.before),
    size,
    fromEnd: args.last != null,
    types,
  }
}

function readSeq(argument: string, cursor: string): number {
  const seq = /^\d{1,10}$/.test(cursor) ? Number(cursor) : NaN
  if (seq <= MAX_SEQ) return seq
  throw badUserInput(`"${argument}" must be the seq of an event, as text, such as "42".`)
}

const MAX_SEQ = 2 ** 31 - 1
/** Of a log that is searched for some types, no more is read at once: the page may be shorter than asked for. */
const MAX_SEARCHED = 5000

interface EventRow {
  readonly sessionId: string
  readonly seq: number
  readonly at: Date
  readonly turnId: string | null
  readonly type: string
  readonly data: object
}

/** A row without a type tells how far the log was searched, and how many events that were. */
type PageRow =
  EventRow | { readonly sessionId: string; readonly seq: number; readonly type: null; readonly data: number }

function statementOf(fromEnd: boolean): Statement {
  const order = fromEnd ? 'DESC' : 'ASC'
  return {
    name: `event-pages-${order.toLowerCase()}`,
    text: `
    WITH looked AS MATERIALIZED (
      SELECT event.* FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
        SELECT session_id, seq, at, turn_id, type, data FROM events
        WHERE session_id = parent.id AND seq > $2::int AND seq < $3::bigint ORDER BY seq ${order} LIMIT $4
      ) event),
    page AS (
      SELECT *, row_number() OVER (PARTITION BY session_id ORDER BY seq ${order}) AS place FROM looked
      WHERE $5::text[] IS NULL OR type = ANY ($5))
    SELECT session_id AS "sessionId", seq, at, turn_id AS "turnId", type, data FROM page WHERE place <= $6
    UNION ALL
    SELECT session_id, ${fromEnd ? 'min' : 'max'}(seq), NULL, NULL, NULL, to_jsonb(count(*)) FROM looked GROUP BY session_id`,
  }
}

const [FORWARDS, BACKWARDS] = [statementOf(false), statementOf(true)]

/** A page of each session, in the order of the log; without events that only a newer version knows. */
export async function readEventPages(
  database: Database,
  page: EventPage,
  sessionIds: readonly string[],
): Promise<Map<string, Page<SessionEvent>>> {
  const { after, before, size, fromEnd, types } = page
  const limit = types === null ? size + 1 : MAX_SEARCHED
  const rows = await database.query<PageRow>(fromEnd ? BACKWARDS : FORWARDS, [
    sessionIds,
    after ?? -1,
    before ?? MAX_SEQ + 1,
    limit,
    types,
    size + 1,
  ])
  const bySession = Map.groupBy(rows, ({ sessionId }) => sessionId)
  return new Map(sessionIds.map((id) => [id, toEventPage(page, bySession.get(id) ?? [], limit)]))
}

function toEventPage(
  { after, before, size, fromEnd }: EventPage,
  rows: readonly PageRow[],
  limit: number,
): Page<SessionEvent> {
  const found = rows.filter((row) => row.type !== null).sort((a, b) => (fromEnd ? b.seq - a.seq : a.seq - b.seq))
  const looked = rows.find((row) => row.type === null)
  const isLookedShort = looked !== undefined && looked.data === limit
  const more = found.length > size || isLookedShort
  const kept = found.slice(0, size)
  // The far end of the page: where to go on, also when nothing of the types was found so far.
  const far = found.length > size || !isLookedShort ? kept.at(-1)?.seq : looked.seq
  const [near] = kept
  if (fromEnd) kept.reverse()
  const edges = kept
    .filter(({ type }) => isKnownEventType(type))
    .map((row) => ({ cursor: String(row.seq), node: toEvent(row) }))
  const [start, end] = fromEnd ? [far, near?.seq ?? far] : [near?.seq ?? far, far]
  return {
    edges,
    pageInfo: {
      hasNextPage: fromEnd ? before !== null : more,
      hasPreviousPage: fromEnd ? more : after !== null,
      startCursor: start === undefined ? null : String(start),
      endCursor: end === undefined ? null : String(end),
    },
  }
}

function toEvent({ data, ...row }: EventRow): SessionEvent {
  return { ...data, ...row } as SessionEvent
}
