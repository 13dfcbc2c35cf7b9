/** The turns that wait without a worker: which there are, and how their sessions get work again. */
import { WAITS_FOR_CHILDREN } from '../../core/tool/delegated.ts'
import type { Database } from '../database.ts'
import { CANCELLABLE } from '../intake/intake-cancel-turn.ts'

/** One of them, with what decides whether it may go on. */
export interface PausedTurn {
  readonly sessionId: string
  readonly userName: string
  /** Its end was requested, and it has not ended yet. */
  readonly cancelRequested: boolean
}

const PAUSED = {
  name: 'queue.paused',
  plansOnce: true,
  text: `SELECT t.session_id AS "sessionId", t.user_name AS "userName", t.cancel_requested AS "cancelRequested" FROM turns t
    WHERE t.paused_at IS NOT NULL AND CASE
      WHEN t.cancel_requested THEN ${CANCELLABLE}
      ELSE t.status = 'RUNNING' AND NOT starts_with(t.paused_reason, $1) END`,
}

/**
 * All turns that wait for a budget or a provider, and those that were cancelled; not others that await an approval, or
 * a task that they delegated.
 */
export async function findPausedTurns(database: Database): Promise<PausedTurn[]> {
  return database.query<PausedTurn>(PAUSED, [WAITS_FOR_CHILDREN])
}

const WAITING = `s.id = ANY ($1::text[]) AND s.owner IS NULL AND s.ready_at > now()`

const READY = { name: 'queue.ready', text: `UPDATE sessions s SET ready_at = now() WHERE ${WAITING}` }

const READY_WHERE_FREE = {
  name: 'queue.ready-where-free',
  plansOnce: true,
  text: `UPDATE sessions SET ready_at = now()
    WHERE id IN (SELECT s.id FROM sessions s WHERE ${WAITING} FOR NO KEY UPDATE SKIP LOCKED)`,
}

/**
 * Their turns go on at once; those of sessions that another transaction holds last, for which the others need not wait.
 * One that runs, or has no work, is left alone.
 */
export async function makeReady(database: Database, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length > 1) await database.query(READY_WHERE_FREE, [sessionIds])
  if (sessionIds.length > 0) await database.query(READY, [sessionIds])
}
