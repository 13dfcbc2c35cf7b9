/** Turns whose end plugins are still to be given (`hooks_due`, which the commit of the end has written). */
import type { ConversationType, FinalTurnStatus } from '../../core/status.ts'
import type { Queryable, Statement } from '../database.ts'

/** The end of a turn, as it stands in the rows. */
export interface DueEnd {
  readonly turnId: string
  readonly sessionId: string
  readonly sessionType: ConversationType
  readonly userName: string
  readonly status: FinalTurnStatus
  /** The last text of the turn; '' when there is none. */
  readonly text: string
  /** Whom it is still to be given to, in their order, and which of these are enabled. */
  readonly due: readonly string[]
  readonly enabled: readonly string[]
}

/** Some of the plugins that a turn's end is due for. */
export interface PluginsOfTurn {
  readonly turnId: string
  readonly plugins: readonly string[]
}

const READ: Statement = {
  name: 'plugins.due-ends-of',
  text: `SELECT t.id AS "turnId", t.session_id AS "sessionId", s.source_type AS "sessionType", t.user_name AS "userName", t.status,
      coalesce((SELECT k.output FROM tasks k WHERE k.turn_id = t.id AND k.type = 'MSG' AND k.status = 'DONE'
        ORDER BY k.id DESC LIMIT 1), '') AS text,
      t.hooks_due AS due, ARRAY(SELECT name FROM plugins WHERE name = ANY (t.hooks_due) AND enabled) AS enabled
    FROM turns t JOIN sessions s ON s.id = t.session_id
    WHERE t.id = ANY ($1::text[]) AND t.hooks_due <> '{}'::text[] ORDER BY t.finished_at`,
}

/** In their order; without those that were given to all already, or whose session is deleted. */
export function readDueEnds(database: Queryable, turnIds: readonly string[]): Promise<readonly DueEnd[]> {
  return database.query<DueEnd>(READ, [turnIds])
}

const SETTLE: Statement = {
  name: 'plugins.settle-ends',
  text: `UPDATE turns t SET hooks_due = ARRAY(SELECT name FROM unnest(t.hooks_due) WITH ORDINALITY AS d(name, n)
      WHERE name <> ALL (g.plugins) ORDER BY n)
    FROM jsonb_to_recordset($1::jsonb) AS g ("turnId" text, plugins text[]) WHERE t.id = g."turnId"`,
}

/** They are not given to these again. Repeatable. */
export async function settleEnds(database: Queryable, given: readonly PluginsOfTurn[]): Promise<void> {
  if (given.length > 0) await database.query(SETTLE, [JSON.stringify(given)])
}

const FIND: Statement = {
  name: 'plugins.old-due-ends',
  text: `SELECT id AS "turnId" FROM turns
    WHERE hooks_due <> '{}'::text[] AND finished_at < now() - interval '1 minute' ORDER BY finished_at LIMIT 1000`,
}

/** Those of more than a minute ago, oldest first, at most 1000. */
export function findDueEnds(database: Queryable): Promise<{ readonly turnId: string }[]> {
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
