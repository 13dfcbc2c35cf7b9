/** What of all processes together /metrics shows, read when it is asked for. */
import { must } from '../platform/must.ts'
import { STATEMENT_TIMEOUT_MS, type Database } from './database.ts'

/** Of one moment, of all processes that share the database. */
export interface LiveFigures {
  readonly queuedTurns: number
  readonly pausedTurns: number
  readonly awaitingApproval: number
  /** Since when the session that has waited longest for a process waits; 0: none does. */
  readonly oldestWaitSeconds: number
  readonly pendingDeliveries: number
  readonly oldestDeliverySeconds: number
  /** How many processes run each version. */
  readonly nodes: readonly { readonly version: string; readonly count: number }[]
}

const READ = {
  name: 'live-figures',
  text: `SELECT t."queuedTurns", t."pausedTurns", t."awaitingApproval", d."pendingDeliveries", d."oldestDeliverySeconds",
      (SELECT greatest(0, extract(epoch FROM clock_timestamp() - least(
          (SELECT min(ready_at) FROM sessions WHERE ready_at IS NOT NULL AND owner IS NULL AND turn_user IS NULL),
          (SELECT min(ready_at) FROM sessions WHERE ready_at IS NOT NULL AND owner IS NULL AND turn_user IS NOT NULL))))::float8) AS "oldestWaitSeconds",
      (SELECT coalesce(jsonb_agg(jsonb_build_object('version', n.version, 'count', n.count)), '[]') FROM (
        SELECT coalesce(version, 'unknown') AS version, count(*)::int AS count FROM nodes
        WHERE evicted_at IS NULL AND seen_at > now() - interval '10 seconds' GROUP BY 1) n) AS nodes
    FROM (
      SELECT count(*) FILTER (WHERE status = 'QUEUED')::int AS "queuedTurns",
        count(*) FILTER (WHERE status = 'RUNNING' AND paused_at IS NOT NULL)::int AS "pausedTurns",
        count(*) FILTER (WHERE status = 'AWAITING_APPROVAL')::int AS "awaitingApproval"
      FROM turns WHERE status IN ('QUEUED', 'RUNNING', 'AWAITING_APPROVAL')) t, (
      SELECT count(*)::int AS "pendingDeliveries",
        greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8 AS "oldestDeliverySeconds"
      FROM deliveries WHERE status = 'PENDING') d`,
  timeoutMs: STATEMENT_TIMEOUT_MS,
}

/** Rejects with DATABASE_UNAVAILABLE. */
export async function readLiveFigures(database: Database): Promise<LiveFigures> {
  const [row] = await database.query<LiveFigures>(READ, [])
  return must(row, 'an aggregate has a row')
}
