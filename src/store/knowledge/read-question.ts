/** A question as those may answer it who were asked. */
import type { Database } from '../database.ts'

/** A question that is open. */
export interface AskedQuestion {
  readonly id: string
  readonly content: string
  /** Of a question of all sessions, the newest session in which it was put to the user; null: in none. */
  readonly putIn: string | null
  /** Its session, or that one. */
  readonly askedIn: string | null
}

/** `userName` null: of anybody. Null: there is none that was put to this user. */
export async function readQuestion(
  database: Database,
  { id, userName }: { readonly id: string; readonly userName: string | null },
): Promise<AskedQuestion | null> {
  const [row] = await database.query<AskedQuestion>(READ_QUESTION, [id, userName])
  return row ?? null
}

const READ_QUESTION = {
  name: 'knowledge.read-question',
  text: `SELECT q.id, q.content, p.session_id AS "putIn", coalesce(q.session_id, p.session_id) AS "askedIn" FROM questions q LEFT JOIN LATERAL (
      SELECT a.session_id FROM question_askings a WHERE a.question_id = q.id AND ($2::text IS NULL
        OR EXISTS (SELECT FROM participants WHERE session_id = a.session_id AND user_name = $2))
      ORDER BY a.session_id DESC LIMIT 1) p ON true
    WHERE q.id = $1 AND ($2::text IS NULL OR p.session_id IS NOT NULL
      OR EXISTS (SELECT FROM participants WHERE session_id = q.session_id AND user_name = $2))`,
}
