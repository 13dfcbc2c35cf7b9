/**
 * Sessions whose learnings the curator is to judge without a turn, as rows: after a checkpoint, when what a turn judged
 * has to be judged anew, and when what it learned was not judged at its end. Who claims one holds it by a lease that is
 * renewed while the curator is asked: a process that dies loses it by the time, and another one goes on. While a turn
 * runs no job of its session begins, and while a job runs no turn asks the curator: one curator is asked at a time. The
 * learnings themselves are decided once, by the first process that commits. All times are the database's.
 */
import type { Database } from '../database.ts'
import { sql, type Sql } from '../sql.ts'

/** How long one run may take. */
export const CURATION_DEADLINE_MS = 300_000
/** A claim outlives a renewal that fails once or twice, no more: turns of its session wait for it, too. */
const LEASE = sql`interval '10 seconds'`

/** A right to judge the learnings of a session. */
export interface CurationClaim {
  readonly sessionId: string
  readonly runId: string
  /** How often it has failed before. */
  readonly failures: number
}

/** The one that waits longest, of a session in which no turn runs; null: none is due. */
export async function claimCuration(database: Database): Promise<CurationClaim | null> {
  const [claim] = await database.query<CurationClaim>(CLAIM, [])
  return claim ?? null
}

const CLAIM = {
  name: 'curation.claim',
  plansOnce: true,
  text: sql`WITH free AS MATERIALIZED (
      SELECT j.session_id FROM curation_jobs j JOIN sessions s ON s.id = j.session_id
      WHERE j.ready_at <= now() AND (j.leased_until IS NULL OR j.leased_until <= now()) AND s.owner IS NULL
      ORDER BY j.ready_at LIMIT 1 FOR UPDATE OF j SKIP LOCKED)
    UPDATE curation_jobs c SET run_id = gen_random_uuid()::text, leased_until = now() + ${LEASE}
    FROM free WHERE c.session_id = free.session_id
    RETURNING c.session_id AS "sessionId", c.run_id AS "runId", c.failures`,
}

/** Whether a process is at a job of the session. */
export async function isCurating(database: Database, sessionId: string): Promise<boolean> {
  return (await database.query(CURATING, [sessionId])).length > 0
}

const CURATING = {
  name: 'curation.curating',
  text: 'SELECT FROM curation_jobs WHERE session_id = $1 AND leased_until > now()',
}

type Claimed = Pick<CurationClaim, 'sessionId' | 'runId'>

/** Of the claim $1 on session $2. Without its run the row became due again meanwhile, and is held until this ends. */
const HELD = sql`session_id = $2 AND (run_id = $1 OR run_id IS NULL)`

/**
 * Keeps the claim. False: it was given back, so that a renewal that is late holds nothing; or another process has it,
 * or the session is gone, and the run's work is for nothing.
 */
export async function renewCuration(database: Database, { sessionId, runId }: Claimed): Promise<boolean> {
  return (await database.query(RENEW, [runId, sessionId])).length > 0
}

const RENEW = {
  name: 'curation.renew',
  text: sql`UPDATE curation_jobs SET leased_until = now() + ${LEASE} WHERE ${HELD} AND leased_until IS NOT NULL
      RETURNING session_id`,
}

/**
 * Gives the claim back: nothing came of it, or not all. `againInMs`: when it is tried again; one that became due
 * meanwhile is done when it is due. `isFailure`: it counts as one.
 */
export async function postponeCuration(
  database: Database,
  { sessionId, runId }: Claimed,
  { againInMs, isFailure }: { readonly againInMs: number; readonly isFailure: boolean },
): Promise<void> {
  await database.query(POSTPONE, [runId, sessionId, againInMs, isFailure])
}

const POSTPONE = {
  name: 'curation.postpone',
  text: sql`UPDATE curation_jobs SET run_id = NULL, leased_until = NULL,
      failures = failures + (run_id IS NOT NULL AND $4::boolean)::int,
      ready_at = CASE WHEN run_id IS NULL THEN ready_at ELSE now() + $3::float8 * interval '1 millisecond' END WHERE ${HELD}`,
}

/**
 * The job is done, or given up. One that became due again meanwhile stays, free for the next claim: a second statement
 * finds it, as the first one may have waited for the commit that made it due.
 */
export async function endCuration(database: Database, { sessionId, runId }: Claimed): Promise<void> {
  const ended = await database.query(END, [runId, sessionId])
  if (ended.length === 0) await database.query(FREE, [sessionId])
}

const END = {
  name: 'curation.end',
  text: 'DELETE FROM curation_jobs WHERE session_id = $2 AND run_id = $1 RETURNING session_id',
}

/** A row without a run is held until its last run ends, or its lease. */
const FREE = {
  name: 'curation.free',
  plansOnce: true,
  text: 'UPDATE curation_jobs SET leased_until = NULL WHERE session_id = $1 AND run_id IS NULL',
}

/** Makes a session's job due. `of`: gives its id and when, of at most one session. */
export function dueCurationSql(of: Sql): Sql {
  return sql`INSERT INTO curation_jobs (session_id, ready_at) ${of} ${DUE_ALREADY}`
}

/** What runs goes on under its lease, and is done once more; what is due earlier stays so. */
export const DUE_ALREADY = sql`ON CONFLICT (session_id) DO UPDATE SET failures = 0, run_id = NULL,
      ready_at = least(curation_jobs.ready_at, excluded.ready_at)`
