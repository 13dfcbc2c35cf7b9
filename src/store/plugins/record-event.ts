/** An event of a plugin enters the log of a session, outside of turns. */
import type { Database, Statement } from '../database.ts'

const RECORD: Statement = {
  name: 'plugins.record-event',
  text: `WITH session AS (UPDATE sessions SET last_seq = last_seq + 1 WHERE id = $1 RETURNING id, last_seq)
    INSERT INTO events (session_id, seq, at, turn_id, type, data)
    SELECT id, last_seq, $2, NULL, 'Plugin', $3::jsonb FROM session RETURNING seq`,
}

/** Its seq; null: there is no such session. On repeat it is recorded once more. */
export async function recordPluginEvent(
  database: Database,
  { sessionId, at, data }: { readonly sessionId: string; readonly at: Date; readonly data: object },
): Promise<number | null> {
  const [row] = await database.query<{ seq: number }>(RECORD, [sessionId, at, JSON.stringify(data)])
  return row?.seq ?? null
}
