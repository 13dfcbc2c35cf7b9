/**
 * What a checkpoint covers: the messages since the last one, each with what was done for it and answered, up to the
 * first one whose turn is still open. Bounded in number and characters from the newest end: of a long time the oldest
 * is left out, and is covered all the same, so the next checkpoint begins behind it.
 */
import type { IntrospectorContext } from '../../agents/agent.ts'
import { COVERABLE } from '../../store/knowledge/checkpoints.ts'
import type { Database } from '../../store/database.ts'

export interface CheckpointSpan {
  readonly context: IntrospectorContext
  /** The span: behind the message with seq `fromSeq`, up to that with `toSeq`. */
  readonly fromSeq: number
  readonly toSeq: number
  /** Turns of the session that have ended. */
  readonly turnCount: number
  /** The user of the newest turn in it, to whom its costs and its learnings belong; null: it has no turn. */
  readonly userName: string | null
  /** All users who have a turn in it. */
  readonly userNames: readonly string[]
  /** Of the session; null: the configuration's. */
  readonly timeZone: string | null
}

const MAX_MESSAGES = 100
/** Of one message, and of one answer. */
const MAX_TEXT_CHARS = 4000
/** Of a command, and of what its review says. */
const MAX_WORK_CHARS = 300
/** Of one message: a turn may have many tasks. */
const MAX_WORK = 20

/**
 * `maxChars`: of all together; of the newest message as much as fits comes along in any case. Null: there is nothing to
 * cover, or no such session.
 */
export async function loadSpan(
  database: Database,
  { sessionId, maxChars }: { readonly sessionId: string; readonly maxChars: number },
): Promise<CheckpointSpan | null> {
  const [row] = await database.query<Row>(LOAD_SPAN, [sessionId])
  const newest = row?.messages[0]
  if (row === undefined || newest === undefined) return null
  const fitting = withinBudget(row.messages.slice(0, MAX_MESSAGES), maxChars)
  const { summary, workingMemory, description, mayDescribe } = row
  const leftOut = fitting.length < row.messages.length
  const messages = fitting.map(({ user, role, content, at, work, outputs }) => ({
    user,
    role,
    content,
    at,
    work,
    outputs,
  }))
  return {
    context: { summary, workingMemory, description, mayDescribe, messages: messages.toReversed(), leftOut },
    fromSeq: row.fromSeq,
    toSeq: newest.seq,
    turnCount: row.turnCount,
    timeZone: row.timeZone,
    userNames: [...new Set(row.messages.flatMap(({ turnUser }) => (turnUser === null ? [] : [turnUser])))],
    userName: row.messages.find(({ turnUser }) => turnUser !== null)?.turnUser ?? null,
  }
}

type Message = IntrospectorContext['messages'][number] & { readonly seq: number; readonly turnUser: string | null }

interface Row extends Omit<IntrospectorContext, 'messages' | 'leftOut'> {
  readonly fromSeq: number
  readonly turnCount: number
  readonly timeZone: string | null
  /** Newest first; one more than the limit, if there are more. */
  readonly messages: readonly Message[]
}

/** Newest first. */
function withinBudget(messages: readonly Message[], maxChars: number): readonly Message[] {
  let left = maxChars
  const end = messages.findIndex((message) => (left -= charsOf(message)) < 0)
  if (end < 0) return messages
  return end > 0 ? messages.slice(0, end) : messages.slice(0, 1).map((newest) => shorten(newest, maxChars))
}

function charsOf(message: Message): number {
  return textsOf(message).reduce((sum, text) => sum + text.length, 0)
}

function textsOf({ content, work, outputs }: Message): readonly string[] {
  return [content, ...outputs, ...work.flatMap(({ detail, reason }) => [detail, reason ?? ''])]
}

/** Each of its texts may take the same part. */
function shorten(message: Message, maxChars: number): Message {
  const share = Math.floor(maxChars / textsOf(message).length)
  const cut = (text: string): string => text.slice(0, share).toWellFormed()
  const { content, work, outputs } = message
  return {
    ...message,
    content: cut(content),
    outputs: outputs.map(cut),
    work: work.map(({ detail, reason, ...rest }) => ({
      ...rest,
      detail: cut(detail),
      reason: reason === null ? null : cut(reason),
    })),
  }
}

/** The cursor is asked for outside: within, all since then would be read to be sorted, however long that is. */
const LOAD_SPAN = {
  name: 'checkpoint.load-span',
  text: `SELECT s.summary, s.working_memory AS "workingMemory", s.description,
      s.description_source IS DISTINCT FROM 'CLIENT' AS "mayDescribe", s.checkpoint_seq AS "fromSeq", s.turn_count AS "turnCount", s.time_zone AS "timeZone",
      (SELECT coalesce(jsonb_agg(jsonb_build_object('seq', m.seq, 'user', m.user_name, 'role', m.role, 'at', m.created_at,
        'content', left(CASE WHEN m.trusted THEN m.content ELSE m.paraphrase END, ${MAX_TEXT_CHARS}), 'turnUser', u.user_name,
        'work', (SELECT coalesce(jsonb_agg(jsonb_build_object('type', t.type, 'detail', left(t.detail, ${MAX_WORK_CHARS}),
            'status', t.status, 'reason', left(t.review_reason, ${MAX_WORK_CHARS})) ORDER BY t.id), '[]')
          FROM (SELECT * FROM tasks WHERE turn_id = u.id AND type <> 'MSG' AND status <> 'SKIPPED' ORDER BY id DESC LIMIT ${MAX_WORK}) t),
        'outputs', (SELECT coalesce(jsonb_agg(left(t.output, ${MAX_TEXT_CHARS}) ORDER BY t.id), '[]')
          FROM tasks t WHERE t.turn_id = u.id AND t.type = 'MSG' AND t.status = 'DONE' AND NOT t.suppressed)
      ) ORDER BY m.seq DESC), '[]') FROM (
        SELECT m.* FROM messages m WHERE ${COVERABLE} ORDER BY m.seq DESC LIMIT ${MAX_MESSAGES + 1}) m
        LEFT JOIN turns u ON u.message_id = m.id WHERE m.seq > s.checkpoint_seq) AS messages
    FROM sessions s WHERE s.id = $1`,
}
