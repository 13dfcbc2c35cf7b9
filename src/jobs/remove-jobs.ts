/** Removes jobs whose work is no longer needed. */
import type { Database } from '../store/database.ts'

const REMOVE = {
  name: 'jobs.remove',
  text: 'SELECT graphile_worker.remove_job(key) FROM unnest($1::text[]) AS key',
}

/**
 * `keys`: of jobs that were enqueued with one; those without a job are no error. One that has begun ends, and is not
 * tried again.
 */
export async function removeJobs(database: Database, keys: readonly string[]): Promise<void> {
  await database.query(REMOVE, [keys])
}
