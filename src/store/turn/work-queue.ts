/**
 * The queue, which is the rows themselves: a session with work (`ready_at`) is claimed by one node at a time (`owner`,
 * `epoch`; claim-sessions.ts), which runs its open turns in order of `seq`. What becomes of the sessions of a node that
 * is lost: nodes.ts. All times are the database's.
 */
import type { Database } from '../database.ts'
import type { Lease } from './lease.ts'

/** The running turns of this node whose end was requested. */
export async function findCancelledTurns(
  database: Database,
  node: number,
): Promise<{ readonly sessionId: string; readonly turnId: string }[]> {
  return database.query<{ sessionId: string; turnId: string }>(CANCELLED, [node])
}

const CANCELLED = {
  name: 'queue.cancelled',
  plansOnce: true,
  text: `SELECT s.id AS "sessionId", t.id AS "turnId" FROM sessions s JOIN turns t ON t.session_id = s.id
    WHERE s.owner = $1 AND t.status = 'RUNNING' AND t.cancel_requested`,
}

/**
 * Gives the session back. `unfinished`: its running turn is to be continued, by whichever node claims it first, no
 * sooner than in `delayMs`. Messages that are still collected keep their time. Returns whether there is work left. The
 * decision rests on columns of the session's own row, which PostgreSQL reads again after waiting for the row's lock: a
 * message accepted a moment before is seen, so no wake-up is lost.
 */
export async function releaseSession(
  database: Database,
  lease: Lease,
  release: { readonly unfinished: boolean; readonly delayMs: number },
): Promise<boolean> {
  const values = [lease.sessionId, lease.node, lease.epoch, release.unfinished, release.delayMs]
  const rows = await database.query<{ left: boolean }>(RELEASE, values)
  return rows[0]?.left ?? false
}

const RELEASE = {
  name: 'queue.release',
  text: `UPDATE sessions SET owner = NULL, turn_user = NULL,
      ready_at = CASE WHEN $4 THEN now() + $5::float8 * interval '1 millisecond' WHEN queue_length > 0 THEN greatest(ready_at, now()) END
    WHERE id = $1 AND owner IS NOT DISTINCT FROM $2::int AND epoch = $3 RETURNING ready_at IS NOT NULL AS left`,
}
