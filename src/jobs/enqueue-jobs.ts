/**
 * Hands work to whichever process takes it, now or later: rows of graphile-worker, written through our own pool. Must
 * not be called inside a turn's write: it notifies (src/events/doorbell.ts says why).
 *
 * A job is taken at least once; what it does must bear a repeat. One whose process died is taken again only after four
 * hours, unless it is enqueued again under its key: what cannot wait has a key, and a sweep or poll that enqueues again
 * what was left undone.
 */
import type { Database } from '../store/database.ts'

export interface NewJob {
  /** A name of the JobRunner's handlers. */
  readonly name: string
  /** JSON. */
  readonly payload: object
  /** A job with the same key that has not begun is replaced by this one, its time included. */
  readonly key?: string
  /** Default: now. */
  readonly runAt?: Date
  /** Jobs of one queue run one after another, also behind one whose process died. */
  readonly queue?: string
  /** Default: 25, with growing pauses. */
  readonly maxAttempts?: number
}

const ENQUEUE = {
  name: 'jobs.enqueue',
  text: `SELECT graphile_worker.add_job(j.name, j.payload, j.queue, j."runAt", j."maxAttempts", j.key)
    FROM jsonb_to_recordset($1::jsonb)
      AS j (name text, payload json, key text, "runAt" timestamptz, queue text, "maxAttempts" int)`,
}

/** In one round trip. Throws DATABASE_UNAVAILABLE; then nothing is enqueued. */
export async function enqueueJobs(database: Database, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length > 0) await database.query(ENQUEUE, [JSON.stringify(jobs)])
}
