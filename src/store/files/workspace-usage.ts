/**
 * What the sandbox's workspaces of sessions had when they were measured last; it goes with the session
 * (`opened_sessions`).
 */
import type { Database } from '../database.ts'

/** Bytes of a session's workspace and of its opener's others, each as it was last measured; 0 until then. */
export interface WorkspaceUsage {
  /** As the session names who opened it. */
  readonly opener: string
  readonly ownBytes: number
  /** Of the other sessions of that opener. */
  readonly otherBytes: number
}

/** Null: the session was imported, so it counts against no opener's quota. */
export async function readWorkspaceUsage(database: Database, sessionId: string): Promise<WorkspaceUsage | null> {
  const [row] = await database.query<WorkspaceUsage>(READ, [sessionId])
  return row ?? null
}

const READ = {
  name: 'workspace-usage.read',
  text: `SELECT o.opener, coalesce(o.workspace_bytes, 0)::float8 AS "ownBytes",
      (SELECT coalesce(sum(x.workspace_bytes), 0)::float8 FROM opened_sessions x
        WHERE x.opener = o.opener AND x.session_id <> o.session_id) AS "otherBytes"
    FROM opened_sessions o WHERE o.session_id = $1`,
}

/** Bytes of the workspaces of all sessions of an opener. */
export async function readOpenersBytes(database: Database, opener: string): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(READ_OPENERS, [opener])
  return row?.bytes ?? 0
}

const READ_OPENERS = {
  name: 'workspace-usage.read-openers',
  text: 'SELECT coalesce(sum(workspace_bytes), 0)::float8 AS bytes FROM opened_sessions WHERE opener = $1',
}

/** The workspace of role USER of a session, and what it took when it was last measured. */
export interface MeasuredWorkspace {
  readonly sessionId: string
  readonly bytes: number
}

/** Does nothing for a session that is gone. */
export async function recordWorkspaceBytes(database: Database, { sessionId, bytes }: MeasuredWorkspace): Promise<void> {
  await database.query(RECORD, [sessionId, bytes])
}

const RECORD = {
  name: 'workspace-usage.record',
  text: `UPDATE opened_sessions SET workspace_bytes = $2 WHERE session_id = $1 AND workspace_bytes IS DISTINCT FROM $2`,
}

/** The largest first. */
export async function findLargestWorkspaces(
  database: Database,
  opener: string,
  limit: number,
): Promise<readonly MeasuredWorkspace[]> {
  return database.query<MeasuredWorkspace>(LARGEST, [opener, limit])
}

const LARGEST = {
  name: 'workspace-usage.largest',
  text: `SELECT session_id AS "sessionId", workspace_bytes::float8 AS bytes FROM opened_sessions
    WHERE opener = $1 AND workspace_bytes > 0 ORDER BY workspace_bytes DESC, session_id LIMIT $2`,
}

/** Ids of sessions behind `after` whose workspace, if there is one, was never measured. */
export async function findUnmeasured(database: Database, after: string, limit: number): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(UNMEASURED, [after, limit])
  return rows.map(({ id }) => id)
}

const UNMEASURED = {
  name: 'workspace-usage.unmeasured',
  text: `SELECT session_id AS id FROM opened_sessions WHERE workspace_bytes IS NULL AND session_id > $1
    ORDER BY session_id LIMIT $2`,
}
