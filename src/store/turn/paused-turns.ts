/** The turns that wait without a worker: which there are, and how their sessions get work again. */
import type { Database } from '../database.ts'

interface PausedTurn {
  readonly sessionId: string
  readonly userName: string
  /** Its end was requested, and it has not ended yet. */
  readonly cancelRequested: boolean
}

const PAUSED = {
  name: 'queue.paused',
  text: `SELECT t.session_id AS "sessionId", t.user_name AS "userName", t.cancel_requested AS "cancelRequested" FROM turns t
    WHERE t.paused_at IS NOT NULL AND t.status = 'RUNNING'`,
}

/** All turns that are paused in the status RUNNING; those that await an approval are not among them. */
export async function findPausedTurns(database: Database): Promise<PausedTurn[]> {
  return database.query<PausedTurn>(PAUSED, [])
}

const READY = {
  name: 'queue.ready',
  text: `UPDATE sessions s SET ready_at = now() WHERE s.id = ANY ($1::text[]) AND s.owner IS NULL AND s.ready_at > now()`,
}

/** Their turns go on at once. One that runs, or has no work, is left alone. */
export async function makeReady(database: Database, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length > 0) await database.query(READY, [sessionIds])
}
