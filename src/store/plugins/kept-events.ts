/** Events that plugins keep in the log (`keeps` of their manifest), and how the log forgets them. */
import type { Database, Statement } from '../database.ts'

const KEPT: Statement = { name: 'plugins.kept', text: `SELECT manifest->'keeps' AS keeps FROM plugins WHERE name = $1` }

/** Of all sessions, oldest first; short enough for no session to wait. Served by the index "events_activity". */
const FORGET: Statement = {
  name: 'plugins.forget-events',
  text: `DELETE FROM events WHERE (session_id, seq) IN (
      SELECT session_id, seq FROM events WHERE type = ANY (ARRAY['Thinking', 'TaskProgress'])
        AND type = ANY ($1::text[]) AND at < now() - make_interval(secs => $2::float8 * 86400) ORDER BY at LIMIT 1000)
    RETURNING seq`,
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
