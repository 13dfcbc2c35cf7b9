/**
 * Sessions whose learnings the curator is to judge without a turn, as rows: after a checkpoint, and when what a turn
 * judged has to be judged anew. Who claims one holds it for as long as it may take at most; a process that dies loses
 * it then, and another one goes on. The learnings themselves are decided once, by the first process that commits. All
 * times are the database's.
 */
import type { Database } from '../database.ts'
import { sql, type Sql } from '../sql.ts'

/** How long one run may take; its claim outlasts it a little. */
export const CURATION_DEADLINE_MS = 300_000
const LEASE = sql`interval '330 seconds'`

/** A right to judge the learnings of a session. */
export interface CurationClaim {
  readonly sessionId: string
  readonly runId: string
  /** How often it has failed before. */
  readonly failures: number
}

/** The one that waits longest; null: none is due. */
export async function claimCuration(database: Database): Promise<CurationClaim | null> {
  const [claim] = await database.query<CurationClaim>(CLAIM, [])
  return claim ?? null
}

const CLAIM = {
  name: 'curation.claim',
  text: sql`WITH free AS MATERIALIZED (
      SELECT session_id FROM curation_jobs WHERE ready_at <= now() AND (leased_until IS NULL OR leased_until <= now())
      ORDER BY ready_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE curation_jobs c SET run_id = gen_random_uuid()::text, leased_until = now() + ${LEASE}
    FROM free WHERE c.session_id = free.session_id
    RETURNING c.session_id AS "sessionId", c.run_id AS "runId", c.failures`,
}

/** Gives the claim back: nothing came of it, or not all. `againInMs`: when it is tried again. */
export async function postponeCuration(database: Database, runId: string, againInMs: number): Promise<void> {
  await database.query(POSTPONE, [runId, againInMs])
}

const POSTPONE = {
  name: 'curation.postpone',
  text: `UPDATE curation_jobs SET run_id = NULL, leased_until = NULL, failures = failures + ($2::float8 > 0)::int,
      ready_at = now() + $2::float8 * interval '1 millisecond' WHERE run_id = $1`,
}

/** The job is done, or given up. One that became due again meanwhile stays. */
export async function endCuration(database: Database, runId: string): Promise<void> {
  await database.query(END, [runId])
}

const END = {
  name: 'curation.end',
  text: 'DELETE FROM curation_jobs WHERE run_id = $1',
}

/** Makes a session's job due. `of`: gives its id and when, of at most one session. */
export function dueCurationSql(of: Sql): Sql {
  return sql`INSERT INTO curation_jobs (session_id, ready_at) ${of} ${DUE_ALREADY}`
}

/** What runs goes on, and is done once more. */
export const DUE_ALREADY = sql`ON CONFLICT (session_id) DO UPDATE SET ready_at = excluded.ready_at, failures = 0,
      run_id = NULL, leased_until = NULL`
