/**
 * Nodes: the processes that run turns. A node is alive while it holds the advisory lock of its id (which PostgreSQL
 * frees the moment its connection ends) and beats (for hosts that hang or vanish). All times are the database's.
 *
 * Others evict a node whose lock is free or that has not beaten for `silentMs`: by the database's clock, and, as that
 * may jump, while they watched (`Evictions`). From then on it claims nothing, and its sessions go to others: at once,
 * unless a command may still run in them; otherwise when that command has ended for certain (`over`). A node that is
 * evicted and lives leaves by itself. Only a node that died counts against the turns that it ran (`buryNode`).
 */
import type { Client } from 'pg'
import type { Timing } from '../config/timing.ts'
import type { Database } from './database.ts'
import { sql, type Sql } from './sql.ts'

/** First key of the advisory locks of nodes; the second is the node's id. */
const NODE_LOCK = 0x666e6f64

/** A node that was evicted and has not left the list, with what is known of its commands. */
export interface EvictedNode {
  readonly id: number
  /** Which process it is, or was (src/execution/process/server-identity.ts). */
  readonly process: string | null
  /** Its last beat is so long ago that its commands have ended, if it could still end them. */
  readonly isSilent: boolean
  /** It was evicted more than `missingMs` ago, or is no longer in the list. */
  readonly isMissing: boolean
}

/** What a process says of itself. */
export interface NodeIdentity {
  /** Which process it is (src/execution/process/server-identity.ts); null: its machine does not tell. */
  readonly process: string | null
  /** The name of its machine. */
  readonly host: string
  /** Of its build. */
  readonly version: string
}

/**
 * Makes a process behind `connection` a node and returns its id. The lock comes before the row, so that no other node
 * sees the row with a free lock and evicts the new node.
 */
export async function registerNode(connection: Client, { process, host, version }: NodeIdentity): Promise<number> {
  const drawn = await connection.query<{ id: string }>(`SELECT nextval(pg_get_serial_sequence('nodes', 'id')) AS id`)
  const id = Number(drawn.rows[0]?.id)
  await connection.query('SELECT pg_advisory_lock($1, $2)', [NODE_LOCK, id])
  const insert = 'INSERT INTO nodes (id, process, host, version) VALUES ($1, $2, $3, $4)'
  await connection.query(insert, [id, process, host, version])
  return id
}

/**
 * A condition for statements that claim: what a node claims after its eviction, before it notices, would never be
 * freed.
 */
export function isListed(node: Sql): Sql {
  return sql`EXISTS (SELECT 1 FROM nodes n WHERE n.id = ${node} AND n.evicted_at IS NULL)`
}

/** Says that the node lives. False: it was evicted, and its sessions may run elsewhere. */
export async function beat(connection: Client, node: number): Promise<boolean> {
  const result = await connection.query('UPDATE nodes SET seen_at = now() WHERE id = $1 AND evicted_at IS NULL', [node])
  return result.rowCount === 1
}

/**
 * Takes the node off the list: no command of it runs any more, and its sessions are free at once, but for those that
 * another transaction has locked, for which a node that wants to join again cannot wait: they belong to a node that is
 * not listed, and are freed as such. `hasDied`: count it against the turns that it was evicted with. Repeatable.
 */
export async function leaveNode(
  database: Database,
  node: number,
  { hasDied }: { readonly hasDied: boolean },
): Promise<void> {
  await database.query(LEAVE, [node, hasDied])
}

/** `turns_open` has the index that finds them. */
const OPEN_TURN = `status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL')`

const LEAVE = {
  name: 'nodes.leave',
  text: `WITH gone AS (DELETE FROM nodes WHERE id = $1),
    judged AS (UPDATE turns SET takeovers = takeovers + $2::bool::int, evicted_nodes = array_remove(evicted_nodes, $1)
      WHERE ${OPEN_TURN} AND $1 = ANY(evicted_nodes)),
    free AS MATERIALIZED (SELECT id FROM sessions WHERE owner = $1 FOR UPDATE SKIP LOCKED)
    UPDATE sessions s SET owner = NULL, turn_user = NULL, ready_at = coalesce(s.ready_at, now()) FROM free WHERE s.id = free.id`,
}

/** The last beat of a node, as a text that changes with each. */
export interface LastBeat {
  readonly id: number
  readonly beat: string
}

interface Silence extends Pick<Timing, 'silentMs' | 'missingMs'> {
  /** Nodes that have not beaten for `silentMs` while this process watched. */
  readonly unheard: readonly number[]
}

interface OtherNodes {
  /** All that are evicted; also those that are no longer in the list, but hold sessions by their last statement. */
  readonly evicted: readonly EvictedNode[]
  /** Of all that are in the list, evicted or not. */
  readonly beats: readonly LastBeat[]
}

/** Evicts the nodes that are lost, and returns what is known of all but `self`. */
export async function evictNodes(
  database: Database,
  self: number,
  { silentMs, missingMs, unheard }: Silence,
): Promise<OtherNodes> {
  const rows = await database.query<EvictedRow | BeatRow>(EVICT, [self, silentMs, missingMs, unheard])
  return { evicted: rows.filter((row) => row.beat === null), beats: rows.filter((row) => row.beat !== null) }
}

interface EvictedRow extends EvictedNode {
  readonly beat: null
}

interface BeatRow extends LastBeat {
  readonly isSilent: null
}

/** Whether a command may run in the session `s`: what a turn starts is marked before. */
const RUNS_COMMAND = `EXISTS (SELECT 1 FROM turns r JOIN tasks c ON c.turn_id = r.id
      WHERE r.session_id = s.id AND r.status = 'RUNNING' AND c.status = 'RUNNING' AND c.type <> 'MSG')`

const IS_SILENT = '(seen_at < now() - silent AND id = ANY($4::int[]))'

/** A turn whose node is evicted may have brought it down if it ran a command, or if no turn there did. */
const EVICT = {
  name: 'nodes.evict',
  plansOnce: true,
  text: `WITH silence AS (SELECT $2::float8 * interval '1 millisecond' AS silent, $3::float8 * interval '1 millisecond' AS missing),
    evicted AS (
      UPDATE nodes SET evicted_at = now() FROM silence WHERE id <> $1 AND evicted_at IS NULL
        AND (${IS_SILENT} OR pg_try_advisory_xact_lock(${NODE_LOCK}, id))
      RETURNING id, process, seen_at),
    running AS MATERIALIZED (
      SELECT t.id, s.owner, ${RUNS_COMMAND} AS runs_command
      FROM evicted JOIN sessions s ON s.owner = evicted.id JOIN turns t ON t.session_id = s.id AND t.status = 'RUNNING'),
    suspects AS (
      SELECT id, owner FROM (SELECT *, bool_or(runs_command) OVER (PARTITION BY owner) AS any_runs FROM running) r
      WHERE runs_command OR NOT any_runs),
    marked AS (
      UPDATE turns t SET evicted_nodes = t.evicted_nodes || suspects.owner FROM suspects WHERE t.id = suspects.id)
    SELECT id, process, ${IS_SILENT} AS "isSilent", false AS "isMissing", NULL AS beat FROM evicted, silence
    UNION ALL SELECT id, process, ${IS_SILENT}, evicted_at < now() - missing, NULL
      FROM nodes, silence WHERE evicted_at IS NOT NULL
    UNION ALL SELECT id, NULL, NULL, NULL, seen_at::text FROM nodes WHERE id <> $1
    UNION ALL SELECT DISTINCT s.owner, NULL, true, true, NULL FROM sessions s
      WHERE s.owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = s.owner)`,
}

/**
 * Takes an evicted node off the list that has died, and counts it against the turns that may have been the cause.
 * Repeatable.
 */
export async function buryNode(database: Database, node: number): Promise<void> {
  await database.query(BURY, [node])
}

const BURY = {
  name: 'nodes.bury',
  text: `WITH gone AS (DELETE FROM nodes WHERE id = $1 AND evicted_at IS NOT NULL RETURNING id)
    UPDATE turns t SET takeovers = t.takeovers + 1, evicted_nodes = array_remove(t.evicted_nodes, gone.id)
    FROM gone WHERE t.${OPEN_TURN} AND gone.id = ANY(t.evicted_nodes)`,
}

/**
 * Frees the sessions of evicted nodes: all that have no command, and all of those nodes whose commands are `over`.
 * Returns how many sessions there are to take over.
 */
export async function freeSessions(database: Database, over: readonly number[]): Promise<number> {
  const freed = await database.query(FREE, [over])
  return freed.length
}

/**
 * `lost` is of the statement's snapshot; `free` holds those that are as they were seen there, by `xmin`: a command that
 * was begun meanwhile, or a new owner, has changed the session's row. Those, and what another transaction has locked,
 * wait for the next time: two that free several sessions at once, in no common order, would deadlock.
 */
const FREE = {
  name: 'nodes.free',
  text: `WITH lost AS MATERIALIZED (
      SELECT s.id, s.xmin FROM sessions s LEFT JOIN nodes n ON n.id = s.owner
      WHERE s.owner IS NOT NULL AND (n.id IS NULL
        OR (n.evicted_at IS NOT NULL AND (n.id = ANY($1::int[]) OR NOT ${RUNS_COMMAND})))),
    free AS MATERIALIZED (
      SELECT s.id FROM lost JOIN sessions s ON s.id = lost.id AND s.xmin = lost.xmin FOR UPDATE OF s SKIP LOCKED)
    UPDATE sessions s SET owner = NULL, turn_user = NULL, ready_at = coalesce(s.ready_at, now()) FROM free
    WHERE s.id = free.id RETURNING s.id`,
}
