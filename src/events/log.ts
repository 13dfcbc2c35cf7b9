/**
 * The log as rows: reading a session's events in order of `seq`. Appending happens where the state changes, in the same
 * statement (src/store). Rows are mapped by hand, without a schema check per event: only this program writes them.
 */
import { isKnownEventType, type SessionEvent } from '../core/session-event.ts'
import type { Database } from '../store/database.ts'

/** Which page of a session's log; `limit` is a number of events. */
export interface LogRange {
  readonly sessionId: string
  /** Events with a greater seq. */
  readonly after: number
  readonly limit: number
}

/** A page of the log, with where the log ended at the same moment. */
export interface LogPage {
  readonly events: readonly SessionEvent[]
  /** What the log holds up to here is in `events`: go on reading after it. */
  readonly upTo: number
  /** The session's newest seq. Greater than `upTo` when the page was full. */
  readonly lastSeq: number
  /** Up to where things were removed from the log for their age, if that is behind `after`; else null. */
  readonly removedUpTo: number | null
  /** Types of events that were left out because this version does not know them: a newer process wrote them. */
  readonly unknownTypes: readonly string[]
}

interface EventRow {
  readonly seq: number
  readonly at: Date
  readonly turn_id: string | null
  readonly type: string
  readonly data: object
}

/**
 * One statement, so that events and `last_seq` are of one moment: what is up to `last_seq` and not here is not in the
 * log.
 */
const READ_PAGE = {
  name: 'read_log_page',
  plansOnce: true,
  text: `SELECT s.last_seq, s.removed_seq, e.seq, e.at, e.turn_id, e.type, e.data
    FROM sessions s LEFT JOIN LATERAL (
      SELECT seq, at, turn_id, type, data FROM events WHERE session_id = s.id AND seq > $2 ORDER BY seq LIMIT $3
    ) e ON true
    WHERE s.id = $1 ORDER BY e.seq`,
}

const LOG_ENDS = {
  name: 'log_ends',
  text: 'SELECT id, last_seq, least(removed_seq, last_seq) AS removed_seq FROM sessions WHERE id = ANY($1)',
}

/** `lastSeq`: of the newest event ever appended; up to `removedSeq` things were removed for their age. */
export interface LogEnd {
  readonly lastSeq: number
  readonly removedSeq: number
}

/** The events after `after`, oldest first, with the end of the log; null when there is no such session. */
export async function readLogPage(database: Database, range: LogRange): Promise<LogPage | null> {
  type PageRow = { readonly last_seq: number; readonly removed_seq: number } & (EventRow | { readonly seq: null })
  const rows = await database.query<PageRow>(READ_PAGE, [range.sessionId, range.after, range.limit])
  const last = rows.at(-1)
  if (last === undefined) return null
  const events: SessionEvent[] = []
  const unknownTypes: string[] = []
  for (const row of rows) {
    if (row.seq === null) continue
    if (isKnownEventType(row.type)) events.push(toEvent(range.sessionId, row))
    else unknownTypes.push(row.type)
  }
  const full = rows.length === range.limit && last.seq !== null
  // An import may say anything: what is beyond the log is not told.
  const removed = Math.min(last.removed_seq, last.last_seq)
  const removedUpTo = removed > range.after ? removed : null
  return { events, upTo: full ? last.seq : last.last_seq, lastSeq: last.last_seq, removedUpTo, unknownTypes }
}

/** Where the logs of many sessions end and begin; sessions that do not exist are absent. */
export async function readLogEnds(
  database: Database,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, LogEnd>> {
  type Row = { readonly id: string; readonly last_seq: number; readonly removed_seq: number }
  const rows = await database.query<Row>(LOG_ENDS, [sessionIds])
  return new Map(rows.map((row) => [row.id, { lastSeq: row.last_seq, removedSeq: row.removed_seq }]))
}

function toEvent(sessionId: string, row: EventRow): SessionEvent {
  return { ...row.data, type: row.type, seq: row.seq, at: row.at, sessionId, turnId: row.turn_id } as SessionEvent
}
