/** What database this is, for people: "PostgreSQL 18.1". */
import type { Database } from './database.ts'

/** Rejects with DATABASE_UNAVAILABLE (retry: backoff). */
export async function describeDatabase(database: Database): Promise<string> {
  const [row] = await database.query<{ server_version: string }>({ name: '', text: 'SHOW server_version' }, [])
  return `PostgreSQL ${row?.server_version.split(' ', 1)[0] ?? '(unknown version)'}`
}
