/**
 * Messages of people whom the configuration does not know. Only what a model retold of them may reach another model.
 */
import type { Database } from '../database.ts'
import { sql, type Sql } from '../sql.ts'

/** A message of an untrusted sender; `paraphrase` and `content` are never both given. */
export interface StrangersMessage {
  readonly id: string
  /** As the platform calls them. */
  readonly sender: string | null
  /** When it was said, in a format that Date reads. */
  readonly at: string
  /** What it says in other words, once it was retold. */
  readonly paraphrase: string | null
  /** As it was written, at most 4000 characters; null once it was retold. */
  readonly content: string | null
}

/** So many of the newest are considered. */
const MAX_MESSAGES = 20
const MAX_CHARS = 4000

/**
 * Those before the turn, oldest first, as an SQL expression for the statement that begins it (`s` is the session's
 * row). None that the summary reaches to, which holds what was retold of them. The index `messages_untrusted` is walked
 * from its newest end.
 */
export function strangersSql(seq: Sql): Sql {
  return sql`(SELECT coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'sender', m.user_name, 'at', m.created_at, 'paraphrase', m.paraphrase,
      'content', CASE WHEN m.paraphrase IS NULL THEN left(m.content, ${MAX_CHARS}) END) ORDER BY m.seq), '[]')
    FROM (SELECT * FROM messages WHERE session_id = s.id AND NOT trusted AND seq < ${seq} AND seq > s.summary_seq
      ORDER BY seq DESC LIMIT ${MAX_MESSAGES}) m)`
}

/** The paraphrases of these messages by id, as far as there are any by now. */
export async function loadParaphrases(database: Database, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await database.query<{ id: string; paraphrase: string }>(PARAPHRASES, [ids])
  return new Map(rows.map(({ id, paraphrase }) => [id, paraphrase]))
}

const PARAPHRASES = {
  name: 'turn.paraphrases',
  text: `SELECT id, paraphrase FROM messages WHERE id = ANY($1::text[]) AND paraphrase IS NOT NULL`,
}
