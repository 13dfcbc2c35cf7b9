/**
 * The queue, which is the rows themselves: a session with work (`ready_at`) is claimed by one node at a time (`owner`, `epoch`;
 * claim-sessions.ts), which runs its open turns in order of `seq`. A node is alive while it holds the advisory lock of its id (which
 * PostgreSQL frees the moment its process dies) and beats (for hosts that hang or vanish). All times are the database's.
 */
import type { Client } from 'pg'
import type { Database } from './database.ts'
import type { Lease } from './turn-commit.ts'

/** First key of the advisory locks of nodes; the second is the node's id. */
const NODE_LOCK = 0x666e6f64
/**
 * A node that has not beaten for this long is taken for dead even if its connection stands. Longer than it takes a node that
 * cannot beat to notice (a beat and its timeout), and short enough that its turns go on elsewhere within 10 s.
 */
const DEAD_AFTER_MS = 8000

/**
 * Makes the process behind `connection` a node and returns its id. The lock comes before the row, so that nobody can take
 * the new node for a dead one.
 */
export async function registerNode(connection: Client): Promise<number> {
  const drawn = await connection.query<{ id: string }>(`SELECT nextval(pg_get_serial_sequence('nodes', 'id')) AS id`)
  const id = Number(drawn.rows[0]?.id)
  await connection.query('SELECT pg_advisory_lock($1, $2)', [NODE_LOCK, id])
  await connection.query('INSERT INTO nodes (id) VALUES ($1)', [id])
  return id
}

/** Says that the node lives. False: it was taken for dead, and its sessions may run elsewhere. */
export async function beat(connection: Client, node: number): Promise<boolean> {
  const result = await connection.query('UPDATE nodes SET seen_at = now() WHERE id = $1', [node])
  return result.rowCount === 1
}

/** Takes the node off the list; whatever it still holds is free at once. */
export async function retireNode(database: Database, node: number): Promise<void> {
  await database.query(RETIRE, [node])
}

const RETIRE = {
  name: 'queue.retire',
  text: `WITH gone AS (DELETE FROM nodes WHERE id = $1)
    UPDATE sessions SET owner = NULL, turn_user = NULL, ready_at = coalesce(ready_at, now()) WHERE owner = $1`,
}

/**
 * Frees the sessions of nodes that died or left, also those that such a node's last statement took after it was struck off.
 * Returns how many sessions there are to take over.
 */
export async function reapDeadNodes(database: Database, self: number): Promise<number> {
  const freed = await database.query(REAP, [self, DEAD_AFTER_MS])
  return freed.length
}

/**
 * `lost` is of the statement's snapshot; `free` holds those that still have the owner seen there, so that a session that a new
 * node has claimed since is left alone. Those that somebody else has locked wait for the next time: two that free several
 * sessions at once, in no common order, would deadlock.
 */
const REAP = {
  name: 'queue.reap',
  text: `WITH dead AS (
      DELETE FROM nodes WHERE id <> $1
        AND (seen_at < now() - $2::float8 * interval '1 millisecond' OR pg_try_advisory_xact_lock(${NODE_LOCK}, id))
      RETURNING id),
    lost AS MATERIALIZED (
      SELECT s.id, s.owner FROM sessions s WHERE s.owner IS NOT NULL
        AND (s.owner IN (SELECT id FROM dead) OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = s.owner))),
    free AS MATERIALIZED (
      SELECT s.id FROM lost JOIN sessions s ON s.id = lost.id AND s.owner = lost.owner FOR UPDATE OF s SKIP LOCKED),
    taken_over AS (UPDATE turns t SET takeovers = t.takeovers + 1 FROM free
      WHERE t.session_id = free.id AND t.status = 'RUNNING')
    UPDATE sessions s SET owner = NULL, turn_user = NULL, ready_at = coalesce(s.ready_at, now()) FROM free
    WHERE s.id = free.id RETURNING s.id`,
}

/** The running turns of this node whose end somebody asked for. */
export async function findCancelledTurns(
  database: Database,
  node: number,
): Promise<{ readonly sessionId: string; readonly turnId: string }[]> {
  return database.query<{ sessionId: string; turnId: string }>(CANCELLED, [node])
}

const CANCELLED = {
  name: 'queue.cancelled',
  text: `SELECT s.id AS "sessionId", t.id AS "turnId" FROM sessions s JOIN turns t ON t.session_id = s.id
    WHERE s.owner = $1 AND t.status = 'RUNNING' AND t.cancel_requested`,
}

/**
 * Gives the session back. `unfinished`: its running turn is to be continued, by whichever node claims it first, no sooner
 * than in `delayMs`. Messages that are still collected keep their time. Returns whether there is work left. The decision rests on columns of the session's own row, which
 * PostgreSQL reads again after waiting for the row's lock: a message accepted a moment before is seen, so no wake-up is lost.
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
    WHERE id = $1 AND owner = $2 AND epoch = $3 RETURNING ready_at IS NOT NULL AS left`,
}
