/** Turns whose end plugins are still to be given (`hooks_due`, which the commit of the end has written). */
import type { ConversationType, FinalTurnStatus } from '../../core/status.ts'
import type { Queryable, Statement } from '../database.ts'

/** The end of a turn, as it stands in the rows. */
export interface DueEnd {
  readonly sessionId: string
  readonly sessionType: ConversationType
  readonly userName: string
  readonly status: FinalTurnStatus
  /** The last text of the turn; '' when there is none. */
  readonly text: string
  readonly isEnabled: boolean
}

const READ: Statement = {
  name: 'plugins.due-end',
  text: `SELECT t.session_id AS "sessionId", s.source_type AS "sessionType", t.user_name AS "userName", t.status,
      coalesce((SELECT k.output FROM tasks k WHERE k.turn_id = t.id AND k.type = 'MSG' AND k.status = 'DONE'
        ORDER BY k.id DESC LIMIT 1), '') AS text,
      EXISTS (SELECT 1 FROM plugins WHERE name = $2 AND enabled) AS "isEnabled"
    FROM turns t JOIN sessions s ON s.id = t.session_id WHERE t.id = $1 AND $2 = ANY (t.hooks_due)`,
}

/** Null: it was given already, or its session is deleted. */
export async function readDueEnd(database: Queryable, turnId: string, plugin: string): Promise<DueEnd | null> {
  const [row] = await database.query<DueEnd>(READ, [turnId, plugin])
  return row ?? null
}

const SETTLE: Statement = {
  name: 'plugins.settle-end',
  text: 'UPDATE turns SET hooks_due = array_remove(hooks_due, $2) WHERE id = $1',
}

/** It is not given again. Repeatable. */
export async function settleEnd(database: Queryable, turnId: string, plugin: string): Promise<void> {
  await database.query(SETTLE, [turnId, plugin])
}

const FIND: Statement = {
  name: 'plugins.due-ends',
  text: `SELECT id AS "turnId", hooks_due AS plugins FROM turns
    WHERE hooks_due <> '{}'::text[] AND finished_at < now() - interval '1 minute' ORDER BY finished_at LIMIT 1000`,
}

/** Those of more than a minute ago, oldest first, at most 1000. */
export function findDueEnds(
  database: Queryable,
): Promise<{ readonly turnId: string; readonly plugins: readonly string[] }[]> {
  return database.query(FIND, [])
}

const GIVE_UP: Statement = {
  name: 'plugins.give-up-ends',
  text: `UPDATE turns SET hooks_due = '{}' WHERE hooks_due <> '{}'::text[] AND finished_at < now() - interval '1 day' RETURNING id`,
}

/** Those of more than a day ago; resolves with how many. */
export async function giveUpOldEnds(database: Queryable): Promise<number> {
  return (await database.query(GIVE_UP, [])).length
}
