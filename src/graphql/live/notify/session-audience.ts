/**
 * Who may see a session, for subscriptions: one read, then asked about any number of viewers. The rule is that of
 * config/access/session-access.ts.
 */
import { seesSession } from '../../../config/access/session-access.ts'
import type { Database } from '../../../store/database.ts'
import type { Audience } from '../log-view.ts'

const READ_PARTICIPANTS = {
  name: 'read_participants',
  text: `SELECT ARRAY(SELECT user_name FROM participants WHERE session_id = s.id) AS participants
    FROM sessions s WHERE s.id = $1`,
}

const NOBODY: Audience = () => false

/** A `ReadAudience` (log-view.ts). */
export async function readAudience(database: Database, sessionId: string): Promise<Audience> {
  const rows = await database.query<{ participants: string[] }>(READ_PARTICIPANTS, [sessionId])
  const row = rows[0]
  if (row === undefined) return NOBODY
  const participants = new Set(row.participants)
  return (viewer) => seesSession(viewer, sessionId, participants)
}
