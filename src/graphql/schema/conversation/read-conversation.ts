/**
 * What was said in sessions, in the order in which it came: messages, and texts of the agent and of the server. The log
 * has them in one order, and an index over just these events; so a page costs the same however long the session is.
 */
import type { MessageRole } from '../../../core/status.ts'
import type { Database, Statement } from '../../../store/database.ts'
import type { PageRequest } from '../paging/page-request.ts'

/** What the log knows of it; its text is read only when it is asked for. */
export interface EntryKey {
  readonly sessionId: string
  readonly seq: number
  /** When it was said. */
  readonly at: Date
  readonly turnId: string | null
  /** Of a message … */
  readonly messageId: string | null
  readonly role: MessageRole | null
  readonly userName: string | null
  readonly trusted: boolean | null
  /** … or of a text, by a task. */
  readonly taskId: string | null
  readonly notice: boolean
  readonly final: boolean
}

/** Greater than any seq, which has 31 bits. */
const NO_END = 2 ** 31

const IS_SAID = "e.type IN ('MessageReceived', 'TextCompleted')"
const EVENT = `e.session_id, e.seq, e.at, e.turn_id, e.data->>'messageId' AS message_id, e.data->>'taskId' AS task_id,
        coalesce((e.data->>'notice')::boolean, false) AS notice, coalesce((e.data->>'final')::boolean, false) AS final`
const ENTRY = `said.session_id AS "sessionId", said.seq, coalesce(m.created_at, said.at) AS at, said.turn_id AS "turnId",
      said.message_id AS "messageId", m.role, m.user_name AS "userName", m.trusted, said.task_id AS "taskId", said.notice,
      said.final`

/** Up to `request.size + 1` of each session, from the end that is asked for. */
export function readConversations(
  database: Database,
  request: PageRequest<'conversation1'>,
  sessionIds: readonly string[],
): Promise<EntryKey[]> {
  const order = request.fromEnd ? 'DESC' : 'ASC'
  const statement: Statement = {
    name: `conversations-${order.toLowerCase()}`,
    text: `
    SELECT ${ENTRY}
    FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
      SELECT ${EVENT} FROM events e
      WHERE e.session_id = parent.id AND ${IS_SAID} AND e.seq > $2::int AND e.seq < $3::bigint
      ORDER BY e.seq ${order} LIMIT $4
    ) said LEFT JOIN messages m ON m.id = said.message_id
    ORDER BY said.seq ${order}`,
  }
  const [after, before] = [request.after?.[0] ?? -1, request.before?.[0] ?? NO_END]
  return database.query<EntryKey>(statement, [sessionIds, after, before, request.size + 1])
}

/** Where to find the answer of a turn. */
export interface AnswerPlace {
  readonly id: string
  readonly sessionId: string
  /** Of its message. */
  readonly seq: number
  /** The turn that took it along, and answers for it. */
  readonly joinedIntoId: string | null
}

const ANSWERS: Statement = {
  name: 'answers-of-turns',
  text: `
    SELECT ${ENTRY}, turn.id AS "askedFor"
    FROM unnest($1::text[], $2::text[], $3::text[], $4::int[]) AS turn (id, answered_by, session_id, seq)
    CROSS JOIN LATERAL (
      SELECT coalesce(max(seq), ${NO_END}) AS seq FROM events
      WHERE turn_id = turn.answered_by AND type = 'TurnCompleted'
    ) ended
    CROSS JOIN LATERAL (
      SELECT ${EVENT} FROM events e
      WHERE e.session_id = turn.session_id AND ${IS_SAID} AND e.seq > turn.seq AND e.seq < ended.seq
        AND e.turn_id = turn.answered_by AND e.data->>'final' = 'true'
      ORDER BY e.seq DESC LIMIT 1
    ) said LEFT JOIN messages m ON m.id = said.message_id`,
}

/** Turns without an answer are left out. */
export async function readAnswers<Turn extends AnswerPlace>(
  database: Database,
  turns: readonly Turn[],
): Promise<Map<Turn, EntryKey>> {
  const rows = await database.query<EntryKey & { askedFor: string }>(ANSWERS, [
    turns.map(({ id }) => id),
    turns.map(({ id, joinedIntoId }) => joinedIntoId ?? id),
    turns.map(({ sessionId }) => sessionId),
    turns.map(({ seq }) => seq),
  ])
  const answers = new Map(rows.map((row) => [row.askedFor, row]))
  return new Map(
    turns.flatMap((turn) => {
      const answer = answers.get(turn.id)
      return answer === undefined ? [] : [[turn, answer] as const]
    }),
  )
}

const TEXTS_OF_TASKS: Statement = {
  name: 'texts-of-tasks',
  text: `
    SELECT ${ENTRY}
    FROM tasks t JOIN turns turn ON turn.id = t.turn_id CROSS JOIN LATERAL (
      SELECT ${EVENT} FROM events e
      WHERE e.session_id = t.session_id AND ${IS_SAID} AND e.seq > turn.seq AND e.data->>'taskId' = t.id
      ORDER BY e.seq LIMIT 1
    ) said LEFT JOIN messages m ON m.id = said.message_id
    WHERE t.id = ANY ($1::text[])`,
}

/** The texts that tasks have written, in no order; those that have written none are left out. */
export async function readTextsOf(database: Database, taskIds: readonly string[]): Promise<EntryKey[]> {
  return database.query<EntryKey>(TEXTS_OF_TASKS, [taskIds])
}

const ENTRIES_AT: Statement = {
  name: 'conversation-entries',
  text: `
    SELECT place.n::int - 1 AS index, ${ENTRY}
    FROM unnest($1::text[], $2::int[], $3::text[]) WITH ORDINALITY AS place (session_id, seq, message_id, n)
    LEFT JOIN messages known ON known.id = place.message_id
    CROSS JOIN LATERAL (
      SELECT ${EVENT} FROM events e
      WHERE e.session_id = place.session_id AND e.seq = coalesce(known.seq, place.seq) AND ${IS_SAID}
    ) said LEFT JOIN messages m ON m.id = said.message_id`,
}

/** Where something was said: with a message, otherwise at this place of the log. */
export interface ConversationPlace {
  readonly sessionId: string
  readonly seq: number
  readonly messageId?: string
}

/** What was said at each place; those where nothing was are left out. */
export async function readEntriesAt<At extends ConversationPlace>(
  database: Database,
  places: readonly At[],
): Promise<Map<At, EntryKey>> {
  const rows = await database.query<EntryKey & { readonly index: number }>(ENTRIES_AT, [
    places.map(({ sessionId }) => sessionId),
    places.map(({ seq }) => seq),
    places.map(({ messageId }) => messageId ?? null),
  ])
  return new Map(
    rows.flatMap((row) => {
      const place = places[row.index]
      return place === undefined ? [] : [[place, row] as const]
    }),
  )
}

const TEXTS: Statement = {
  name: 'conversation-texts',
  text: `
    SELECT place.n::int - 1 AS index, coalesce(m.content, e.data->>'content', '') AS content
    FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS place (session_id, seq, n)
    JOIN events e ON e.session_id = place.session_id AND e.seq = place.seq
    LEFT JOIN messages m ON m.id = e.data->>'messageId'`,
}

/** What was said, in full. */
export async function readTexts<Key extends EntryKey>(
  database: Database,
  keys: readonly Key[],
): Promise<Map<Key, string>> {
  const places = [keys.map(({ sessionId }) => sessionId), keys.map(({ seq }) => seq)]
  const rows = await database.query<{ index: number; content: string }>(TEXTS, places)
  return new Map(
    rows.flatMap(({ index, content }) => {
      const key = keys[index]
      return key === undefined ? [] : [[key, content] as const]
    }),
  )
}

const ENDS: Statement = {
  name: 'ends-of-turns',
  text: `SELECT turn_id AS "turnId", max(seq) AS seq FROM events
    WHERE turn_id = ANY ($1::text[]) AND type = 'TurnCompleted' GROUP BY turn_id`,
}

/** The seq of the last event of each turn that has ended. */
export async function readEnds(database: Database, turnIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.query<{ turnId: string; seq: number }>(ENDS, [turnIds])
  return new Map(rows.map(({ turnId, seq }) => [turnId, seq]))
}
