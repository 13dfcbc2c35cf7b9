/**
 * The rows of published files, as the door and the sweeping up read them. A turn writes them
 * (src/store/turn/turn-commit.sql.ts). `at`: now, as the process sees it, which also gave them their expiry.
 */
import type { Database } from '../database.ts'

/**
 * A published file that has not expired. Its bytes may be gone all the same when a sweep or an erasure removes them
 * meanwhile.
 */
export interface ServableFile {
  readonly taskId: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly contentType: string
}

/** Null: there is no such file, or not any more. */
export async function findServableFile(database: Database, id: string, at: Date): Promise<ServableFile | null> {
  const [row] = await database.query<ServableFile>(FIND, [id, at])
  return row ?? null
}

const FIND = {
  name: 'published-files.find',
  text: `SELECT task_id AS "taskId", name, size::float8 AS size, content_type AS "contentType" FROM published_files
    WHERE id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
}

/** Deletes at most `limit` rows that have expired, and returns their ids. */
export async function deleteExpiredFiles(database: Database, at: Date, limit: number): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(EXPIRE, [at, limit])
  return rows.map(({ id }) => id)
}

const EXPIRE = {
  name: 'published-files.expire',
  text: `DELETE FROM published_files WHERE id IN (
    SELECT id FROM published_files WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING id`,
}

/** Those of `ids` that no row has. */
export async function findUnrecordedFiles(database: Database, ids: readonly string[]): Promise<readonly string[]> {
  const rows = await database.query<{ id: string }>(UNRECORDED, [ids])
  return rows.map(({ id }) => id)
}

const UNRECORDED = {
  name: 'published-files.unrecorded',
  text: `SELECT id FROM unnest($1::text[]) AS given (id) WHERE NOT EXISTS (SELECT 1 FROM published_files f WHERE f.id = given.id)`,
}
