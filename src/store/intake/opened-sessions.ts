/**
 * How many sessions a user or connector has opened (`opened_sessions`), and the fragments of the statements that open
 * one within a quota. The row of an opened session comes by a trigger and goes with the session, so what is deleted is
 * free at once.
 */
import type { Database } from '../database.ts'
import { sql } from '../sql.ts'

/** A parameter of every statement that may open a session: the quota of who opens it; null: none. */
export const QUOTA_INPUT = { max_sessions: 'int' } as const

/**
 * A CTE, with a comma behind it: whether the opener may open the session. Where it is there nothing is counted.
 * Otherwise the count is made under a lock per opener, that the statement keeps until its commit: of all that come at
 * once, no more are let through than the quota allows. `may_open_session` is in the migrations.
 */
export const QUOTA = sql`quota AS MATERIALIZED (
    SELECT CASE WHEN input.max_sessions IS NULL OR EXISTS (SELECT 1 FROM sessions seen WHERE seen.id = input.session_id) THEN true
      ELSE may_open_session(input.opened_by, input.session_id, input.max_sessions) END AS allows FROM input),
  `
/** SQL, for statements that hold the CTE `QUOTA`: the session may be opened. */
export const QUOTA_ALLOWS = sql`(SELECT allows FROM quota)`

/** Sessions that are not deleted. */
export async function countOpenedSessions(database: Database, opener: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [opener])
  return row?.count ?? 0
}

const COUNT = {
  name: 'opened-sessions.count',
  plansOnce: true,
  text: 'SELECT count(*)::int AS count FROM opened_sessions WHERE opener = $1',
}
