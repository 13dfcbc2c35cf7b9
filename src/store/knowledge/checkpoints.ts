/**
 * Checkpoints as rows: one that is due, waits to be tried again, or runs, has a row; when it has succeeded, the row is
 * gone and the session's cursor (`checkpoint_seq`) has moved. Who claims one holds it by a run id and a lease that is
 * renewed while the introspector is asked: a process that dies loses it by the time, and another one makes the
 * checkpoint.
 *
 * No claim of the session is involved, so turns run meanwhile. What a checkpoint may read ends before the first
 * message whose turn is still open: that may be edited, and may hold a secret that only the planner finds. All times
 * are the database's.
 */
import type { CheckpointReason } from '../../core/status.ts'
import type { Database } from '../database.ts'
import {
  ACCESS_INPUT,
  accessInput,
  mayAct,
  mayReach,
  OPENER_INPUT,
  openerInput,
  type SessionAccess,
} from '../intake/intake-access.ts'
import { AUDIT_INPUT, auditInput, sessionAudit } from '../intake/intake-audit.ts'
import { intakeStatement } from '../intake/intake-statement.ts'
import { READABLE } from './knowledge-due.ts'
import { sql } from '../sql.ts'

/** A claim outlives a renewal that fails once or twice, no more: what died must not hold up its session. */
const LEASE_MS = 10_000
/**
 * The poll for idle sessions goes back so far behind where the last one ended: commits take a moment, and clocks
 * differ.
 */
const OVERLAP = "interval '1 minute'"
/** The place where the poll ended is stored no more often than this. */
const STORE_AFTER = "interval '30 seconds'"
const MAX_IDLE = 200

/** Conditions on a message `m` of the session `s`: a checkpoint of now covers it, or an earlier one did. */
export const COVERABLE = sql`m.session_id = s.id AND ${READABLE} AND m.seq < coalesce((
  SELECT min(t.seq) FROM turns t WHERE t.session_id = s.id AND t.status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL')), 2147483647)`

/**
 * Of the session `s`: a checkpoint would have something to cover. Not EXISTS, for which all messages might be read to
 * hash them.
 */
const HAS_UNCOVERED = sql`(SELECT true FROM messages m WHERE ${COVERABLE} AND m.seq > s.checkpoint_seq LIMIT 1)`

/** What a request for a checkpoint of the session `s` comes to now: one is made already, one is due, or neither. */
export const CHECKPOINT_STATE = sql`CASE
      WHEN EXISTS (SELECT FROM checkpoints c WHERE c.session_id = s.id AND c.leased_until > now()) THEN 'Running'
      WHEN ${HAS_UNCOVERED} THEN 'Due' ELSE 'NothingNew' END`

type CheckpointRequest =
  | { readonly kind: 'Due' }
  /** One is being made. */
  | { readonly kind: 'Running' }
  | { readonly kind: 'NothingNew' }
  /** The caller sees the session, but did not open it. */
  | { readonly kind: 'NotOpener' }
  /** There is no such session for this caller. */
  | { readonly kind: 'NoSession' }

/** A caller wants a checkpoint now. One that waits to be tried again is made now instead. */
export async function requestCheckpoint(
  database: Database,
  access: SessionAccess,
  { sessionId, reason }: { readonly sessionId: string; readonly reason: CheckpointReason },
): Promise<CheckpointRequest> {
  const [row] = await REQUEST<{ kind: 'NotOpener' | 'Due' | 'Running' | 'NothingNew' }>(database, {
    session_id: sessionId,
    reason,
    ...accessInput(access),
    ...openerInput(access),
    ...auditInput(access),
  })
  return { kind: row?.kind ?? 'NoSession' }
}

/** The session's row is locked, so that a checkpoint that is just being committed counts. */
const REQUEST = intakeStatement(
  'checkpoint.request',
  { session_id: 'text', reason: 'checkpoint_reason', ...ACCESS_INPUT, ...OPENER_INPUT, ...AUDIT_INPUT },
  sql`s AS MATERIALIZED (
    SELECT s.id, s.checkpoint_seq, ${mayAct(sql`s`)} AS may_act
    FROM input JOIN sessions s ON s.id = input.session_id WHERE ${mayReach(sql`s.id`)} FOR UPDATE OF s),
  verdict AS MATERIALIZED (
    SELECT s.id, CASE WHEN NOT s.may_act THEN 'NotOpener' ELSE ${CHECKPOINT_STATE} END AS kind FROM s),
  due AS (
    INSERT INTO checkpoints (session_id, reason, ready_at)
    SELECT verdict.id, input.reason, now() FROM verdict, input WHERE verdict.kind = 'Due'
    ON CONFLICT (session_id) DO UPDATE SET reason = excluded.reason, ready_at = excluded.ready_at, failures = 0
    RETURNING session_id),
  ${sessionAudit('CHECKPOINT_REQUESTED', { from: sql`due, input`, at: sql`now()`, detail: sql`input.reason::text` })}
  SELECT kind FROM verdict`,
)

/** Makes a checkpoint due that no caller requested. One that waits for its retry keeps its time. */
export async function dueCheckpoint(database: Database, sessionId: string, reason: CheckpointReason): Promise<void> {
  await database.query(DUE, [sessionId, reason])
}

const DUE = {
  name: 'checkpoint.due',
  plansOnce: true,
  text: `INSERT INTO checkpoints (session_id, reason, ready_at)
    SELECT id, $2::checkpoint_reason, now() FROM sessions WHERE id = $1 ON CONFLICT DO NOTHING`,
}

/**
 * Makes checkpoints due of sessions that went idle since the last poll, and returns how many. A session is found
 * once for each time that it goes idle: its last activity then lies between where the last poll ended and now.
 */
export async function dueIdleCheckpoints(database: Database, idleMs: number): Promise<number> {
  const [row] = await database.query<{ due: number }>(DUE_IDLE, [idleMs])
  return row?.due ?? 0
}

/**
 * While there are more than fit, the place stays: those that are due now are left out next time. The bounds are
 * subqueries, not joined: so they bound the walk along the index.
 */
const DUE_IDLE = {
  name: 'checkpoint.due-idle',
  plansOnce: true,
  text: `WITH bounds AS MATERIALIZED (
      SELECT looked_until - ${OVERLAP} AS begin, now() - $1::float8 * interval '1 millisecond' AS until FROM checkpoint_state),
    idle AS MATERIALIZED (
      SELECT s.id FROM sessions s
      WHERE s.last_activity_at > (SELECT b.begin FROM bounds b) AND s.last_activity_at <= (SELECT b.until FROM bounds b) AND s.status IN ('IDLE', 'INACTIVE')
        AND NOT EXISTS (SELECT FROM checkpoints c WHERE c.session_id = s.id) AND ${HAS_UNCOVERED}
      ORDER BY s.last_activity_at LIMIT ${MAX_IDLE}),
    due AS (
      INSERT INTO checkpoints (session_id, reason, ready_at) SELECT id, 'IDLE', now() FROM idle
      ON CONFLICT DO NOTHING RETURNING session_id),
    moved AS (
      UPDATE checkpoint_state c SET looked_until = b.until FROM bounds b
      WHERE b.until > c.looked_until + ${STORE_AFTER} AND (SELECT count(*) FROM idle) < ${MAX_IDLE})
    SELECT count(*)::int AS due FROM due`,
}

/** A right to make a checkpoint, as long as it is renewed. */
export interface CheckpointClaim {
  readonly sessionId: string
  readonly runId: string
  readonly reason: CheckpointReason
  /** How often it has failed before. */
  readonly failures: number
}

/** Claims up to `limit` checkpoints that are due and have no valid lease, longest waiting first. */
export function claimCheckpoints(database: Database, limit: number): Promise<CheckpointClaim[]> {
  return database.query<CheckpointClaim>(CLAIM, [limit])
}

const LEASE = `now() + interval '${LEASE_MS} milliseconds'`

const CLAIM = {
  name: 'checkpoint.claim',
  plansOnce: true,
  text: `WITH free AS MATERIALIZED (
      SELECT session_id FROM checkpoints WHERE ready_at <= now() AND (leased_until IS NULL OR leased_until <= now())
      ORDER BY ready_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    UPDATE checkpoints c SET run_id = gen_random_uuid()::text, leased_until = ${LEASE}
    FROM free WHERE c.session_id = free.session_id
    RETURNING c.session_id AS "sessionId", c.run_id AS "runId", c.reason, c.failures`,
}

/**
 * Keeps claims; returns those run ids that still hold. The others' work is for nothing: another process has it, or its
 * session is gone.
 */
export async function renewCheckpoints(database: Database, held: readonly HeldClaim[]): Promise<string[]> {
  const ids = [held.map(({ sessionId }) => sessionId), held.map(({ runId }) => runId)]
  const rows = await database.query<{ id: string }>(RENEW, ids)
  return rows.map(({ id }) => id)
}

/** Found by the session: thousands may be due at once, and no index has the run. */
type HeldClaim = Pick<CheckpointClaim, 'sessionId' | 'runId'>

const RENEW = {
  name: 'checkpoint.renew',
  text: `UPDATE checkpoints c SET leased_until = ${LEASE} FROM unnest($1::text[], $2::text[]) AS held (session_id, run_id)
    WHERE c.session_id = held.session_id AND c.run_id = held.run_id RETURNING c.run_id AS id`,
}

/** There was nothing to cover after all. */
export async function dropCheckpoint(database: Database, { sessionId, runId }: HeldClaim): Promise<void> {
  await database.query(DROP, [sessionId, runId])
}

const DROP = { name: 'checkpoint.drop', text: 'DELETE FROM checkpoints WHERE session_id = $1 AND run_id = $2' }
