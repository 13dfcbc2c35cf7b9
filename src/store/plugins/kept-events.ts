/** Events that plugins keep in the log (`keeps` of their manifest): how they enter it, and how the log forgets them. */
import type { Database, Statement } from '../database.ts'

const KEPT: Statement = { name: 'plugins.kept', text: `SELECT manifest->'keeps' AS keeps FROM plugins WHERE name = $1` }

/**
 * Of all sessions, oldest first; short enough for no session to wait. Served by the index "events_activity". Rows of
 * sessions are locked in one order, before their events go; who comes back from before them is told so (`removed_seq`).
 */
const FORGET: Statement = {
  name: 'plugins.forget-events',
  text: `WITH aged AS MATERIALIZED (
      SELECT session_id, seq FROM events WHERE type = ANY (ARRAY['Thinking', 'TaskProgress'])
        AND type = ANY ($1::text[]) AND at < now() - make_interval(secs => $2::float8 * 86400) ORDER BY at LIMIT 1000),
    locked AS MATERIALIZED (
      SELECT id FROM sessions WHERE id IN (SELECT session_id FROM aged) ORDER BY id FOR UPDATE),
    removed AS (
      DELETE FROM events e USING aged a JOIN locked l ON l.id = a.session_id
      WHERE e.session_id = a.session_id AND e.seq = a.seq RETURNING e.session_id, e.seq),
    cut AS (
      UPDATE sessions s SET removed_seq = greatest(s.removed_seq, r.seq)
      FROM (SELECT session_id, max(seq) AS seq FROM removed GROUP BY session_id) r WHERE s.id = r.session_id)
    SELECT seq FROM removed`,
}
const TYPES = { thinking: 'Thinking', task_progress: 'TaskProgress' } as const

/** Deletes those that the plugin keeps and that are older; resolves with how many. A repeat finds the rest. */
export async function forgetKept(database: Database, plugin: string, olderThanDays: number): Promise<number> {
  const [row] = await database.query<{ keeps: readonly (keyof typeof TYPES)[] | null }>(KEPT, [plugin])
  const types = (row?.keeps ?? []).map((name) => TYPES[name])
  let count = 0
  for (let deleted = types.length === 0 ? 0 : 1000; deleted === 1000; count += deleted) {
    deleted = (await database.query(FORGET, [types, olderThanDays])).length
  }
  return count
}

const RECORD: Statement = {
  name: 'plugins.record-event',
  text: `WITH session AS (UPDATE sessions SET last_seq = last_seq + 1 WHERE id = $1 RETURNING id, last_seq)
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT id, last_seq, $2, NULL, 'Plugin', $3::jsonb FROM session RETURNING seq`,
}

/**
 * An event of a plugin enters the log of a session, outside of turns.
 * Its seq; null: there is no such session. On repeat it is recorded once more.
 */
export async function recordPluginEvent(
  database: Database,
  { sessionId, at, data }: { readonly sessionId: string; readonly at: Date; readonly data: object },
): Promise<number | null> {
  const [row] = await database.query<{ seq: number }>(RECORD, [sessionId, at, JSON.stringify(data)])
  return row?.seq ?? null
}
