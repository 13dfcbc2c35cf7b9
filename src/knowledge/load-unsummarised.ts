/**
 * The oldest messages of a session that are in no summary, with what the agent answered: all but the last ones, which
 * agents go on to be shown as they are. Bounded in number and characters; what does not fit comes with the next
 * summary.
 *
 * What must hold: a message is in one summary at most, and none is skipped. The session's turns run in order, so
 * everything up to the turn's own message has left the queue; `toSeq` never goes beyond it.
 */
import type { SummarizerContext } from '../agents/agent.ts'
import type { Database } from '../store/database.ts'
import { READABLE } from '../store/knowledge/knowledge-due.ts'

export interface Unsummarised extends SummarizerContext {
  /** The summary reaches to here now … */
  readonly fromSeq: number
  /** … and will reach to here with `messages`. */
  readonly toSeq: number
}

const MAX_MESSAGES = 100
/** Of one message, and of one answer. */
const MAX_TEXT_CHARS = 4000

interface Wanted {
  readonly sessionId: string
  /** Of the turn's message. */
  readonly seq: number
  /** How many trusted messages stay as they are … */
  readonly keepLast: number
  /** … unless they take more than so many bytes with their answers; the last one stays in any case. */
  readonly keepBytes: number
  /** Of all that is summarised at once; one message comes along in any case. */
  readonly maxChars: number
}

/** Null: there is nothing to summarise. */
export async function loadUnsummarised(
  database: Database,
  { sessionId, seq, keepLast, keepBytes, maxChars }: Wanted,
): Promise<Unsummarised | null> {
  const [row] = await database.query<Row>(LOAD_UNSUMMARISED, [sessionId, seq, keepLast, keepBytes])
  const messages = withinBudget(row?.messages ?? [], maxChars)
  const last = messages.at(-1)
  if (row === undefined || last === undefined) return null
  return { summary: row.summary, fromSeq: row.summary_seq, toSeq: last.seq, messages }
}

interface Row {
  readonly summary: string
  readonly summary_seq: number
  readonly messages: readonly (SummarizerContext['messages'][number] & { readonly seq: number })[]
}

function withinBudget(messages: Row['messages'], maxChars: number): Row['messages'] {
  let left = maxChars
  const end = messages.findIndex(({ content, outputs }, index) => {
    left -= content.length + outputs.reduce((sum, output) => sum + output.length, 0)
    return left < 0 && index > 0
  })
  return end < 0 ? messages : messages.slice(0, end)
}

const LOAD_UNSUMMARISED = {
  name: 'knowledge.load-unsummarised',
  text: `WITH newest AS (
      SELECT m.seq, least(octet_length(m.content), ${MAX_TEXT_CHARS}) + coalesce((
        SELECT sum(least(octet_length(t.output), ${MAX_TEXT_CHARS})) FROM turns u JOIN tasks t ON t.turn_id = u.id
        WHERE u.message_id = m.id AND t.type = 'MSG' AND t.status = 'DONE' AND NOT t.suppressed), 0) AS bytes
      FROM (SELECT * FROM messages WHERE session_id = $1 AND seq <= $2 AND trusted AND status NOT IN ('QUEUED', 'CANCELLED')
        ORDER BY seq DESC LIMIT $3) m),
    raw AS (SELECT min(seq) AS seq FROM (
      SELECT seq, row_number() OVER up AS place, sum(bytes) OVER up AS bytes FROM newest WINDOW up AS (ORDER BY seq DESC)) kept
      WHERE place = 1 OR bytes <= $4)
    SELECT s.summary, s.summary_seq, (
      SELECT coalesce(jsonb_agg(jsonb_build_object('seq', m.seq, 'user', m.user_name, 'role', m.role, 'at', m.created_at,
        'content', left(CASE WHEN m.trusted THEN m.content ELSE m.paraphrase END, ${MAX_TEXT_CHARS}),
        'outputs', (SELECT coalesce(jsonb_agg(left(t.output, ${MAX_TEXT_CHARS}) ORDER BY t.id), '[]')
          FROM turns u JOIN tasks t ON t.turn_id = u.id WHERE u.message_id = m.id AND t.type = 'MSG' AND t.status = 'DONE'
            AND NOT t.suppressed)
      ) ORDER BY m.seq), '[]') FROM (
        SELECT m.* FROM messages m, raw WHERE m.session_id = $1 AND m.seq > s.summary_seq AND m.seq <= $2
          AND (raw.seq IS NULL OR m.seq < raw.seq) AND ${READABLE}
        ORDER BY m.seq LIMIT ${MAX_MESSAGES}) m) AS messages
    FROM sessions s WHERE s.id = $1`,
}
