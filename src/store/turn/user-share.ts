/**
 * Of one user only so many turns run at a time (`max_running_per_user`), whatever the number of processes. The rows
 * count: a session that a node owns takes up a place of its `turn_user`. Fragments of the statements that begin turns.
 */
import { sql, type Sql } from '../sql.ts'

/**
 * Whether one more turn of `user` may run. False as well when another statement is beginning one of theirs at this
 * moment: then the turn waits for a claim. `free_turns` is in the migrations.
 */
export function hasPlace(user: Sql, share: Sql): Sql {
  return sql`free_turns(${user}, ${share}, false) > 0`
}

/** Whether a session has waited for a turn of `user` since before `since`: it comes first. */
export function waitsLonger(user: Sql, since: Sql): Sql {
  return sql`EXISTS (SELECT 1 FROM sessions o WHERE o.turn_user = ${user} AND o.owner IS NULL AND o.ready_at < ${since})`
}
