/**
 * A search of what was said, in the sessions that a viewer may see, newest first. There is no index of words, which
 * each message would pay for: texts are read slice by slice, in the order of the ids of their messages and tasks, until
 * a page is full or enough was read for one request. What sets the end of a slice is what the viewer may see, and
 * nothing else: that, too, says nothing of others.
 */
import type { WantedWords } from '../../../core/text/search-words.ts'
import { ERASED } from '../../../core/text/erased.ts'
import { REDACTED } from '../../../core/text/redacted.ts'
import type { Viewer } from '../../../core/identity.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../store/database.ts'
import { findNarrowest, sessionsWith, type Narrowing } from '../paging/narrowest.ts'
import type { Bind } from '../paging/read-newest-page.ts'
import { seenSessions } from '../session/session-visibility.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { matchable } from '../values/matchable.ts'
import { readEntriesAt, readTextsOf, type EntryKey } from './read-conversation.ts'

export interface SearchAsked {
  readonly viewer: Viewer
  readonly alternatives: readonly WantedWords[]
  /** Null: all that the viewer may see. */
  readonly sessionId: string | null
  /** Where the page before ended; null: from the newest on. */
  readonly after: string | null
  readonly size: number
}

export interface FoundEntry {
  /** Its place in the order: the rest of the id of its message or task. */
  readonly place: string
  readonly entry: EntryKey
}

export interface FoundPage {
  readonly found: readonly FoundEntry[]
  /** Up to which place it was searched; null: up to the oldest. */
  readonly searchedTo: string | null
}

/** Common words fill a page from few texts: the first slice is small. */
const FIRST_SLICE = 200
const SLICE = 2000
/** Of what is long, a slice has fewer. */
const SLICE_BYTES = 2_000_000
/** What one request reads at most; where that takes longer than `MAX_MS`, less. */
const MAX_SLICES = 20
const MAX_MS = 1000

interface Match {
  readonly place: string
  readonly id: string
  readonly sessionId: string
}

/** At most `size` entries. */
export async function searchConversations(
  { database, clock }: { readonly database: Database; readonly clock: Pick<Clock, 'monotonicMs'> },
  asked: SearchAsked,
): Promise<FoundPage> {
  const narrowing = await narrowingFor(database, asked)
  const until = clock.monotonicMs() + MAX_MS
  const matches: Match[] = []
  let searchedTo = asked.after
  for (let slice = 1; slice <= MAX_SLICES && matches.length <= asked.size; slice += 1) {
    const texts = slice === 1 ? FIRST_SLICE : SLICE
    const read = await readSlice(database, { ...asked, after: searchedTo }, { narrowing, texts })
    matches.push(...read.matches)
    searchedTo = read.end
    if (searchedTo === null || clock.monotonicMs() > until) break
  }
  const shown = matches.slice(0, asked.size)
  const isFull = matches.length > asked.size
  return {
    found: await readEntries(database, shown),
    searchedTo: isFull ? (shown.at(-1)?.place ?? null) : searchedTo,
  }
}

/** Few sessions are gone through one by one; of many, all texts are, as they came. */
async function narrowingFor(database: Database, { viewer, sessionId }: SearchAsked): Promise<Narrowing | null> {
  if (sessionId !== null)
    return {
      sql: (parameter) => `SELECT id FROM sessions WHERE id = ${parameter}::text`,
      value: matchable(sessionId),
    }
  const { participant } = seenSessions(viewer)
  return participant === null ? null : findNarrowest(database, [sessionsWith(participant)])
}

interface SliceRow extends Match {
  readonly isFound: boolean
  readonly isOldest: boolean
}

interface Slice {
  readonly narrowing: Narrowing | null
  /** At most so many. */
  readonly texts: number
}

/** The last row comes always: there the slice ended. */
async function readSlice(
  database: Database,
  asked: SearchAsked,
  slice: Slice,
): Promise<{ readonly matches: readonly Match[]; readonly end: string | null }> {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const text = `
    WITH said AS (
      (${textsSql(MESSAGES, { asked, bind, ...slice })}) UNION ALL (${textsSql(TASKS, { asked, bind, ...slice })})
    ), slice AS MATERIALIZED (
      SELECT * FROM (
        SELECT newest.*, sum(bytes) OVER (ORDER BY place DESC) - bytes AS bytes_before
        FROM (SELECT * FROM said ORDER BY place DESC LIMIT ${slice.texts}) newest
      ) newest WHERE bytes_before < ${SLICE_BYTES}
    ), numbered AS (
      SELECT slice.*, row_number() OVER (ORDER BY place DESC) AS n, count(*) OVER () AS count FROM slice
    ), searched AS MATERIALIZED (
      SELECT numbered.*, ${matchSql(asked.alternatives, bind)} AS is_found FROM numbered
    )
    SELECT place, id, session_id AS "sessionId", is_found AS "isFound",
      count < ${slice.texts} AND count = (SELECT count(*) FROM said) AS "isOldest"
    FROM searched WHERE is_found OR n = count ORDER BY place DESC`
  // Not prepared: which plan is best depends on the values.
  const rows = await database.query<SliceRow>({ name: '', text }, values)
  const last = rows.at(-1)
  return {
    matches: rows.filter(({ isFound }) => isFound),
    end: last === undefined || last.isOldest ? null : last.place,
  }
}

interface Texts {
  readonly table: 'messages' | 'tasks'
  readonly prefix: 'msg_' | 'task_'
  readonly content: string
  readonly where: string
}

const MESSAGES: Texts = { table: 'messages', prefix: 'msg_', content: 'content', where: 'true' }
/** Of the agent and of the server. */
const TASKS: Texts = {
  table: 'tasks',
  prefix: 'task_',
  content: 'output',
  where: "c.type = 'MSG' AND c.status = 'DONE' AND c.output IS NOT NULL",
}

interface TextsAsked extends Slice {
  readonly asked: SearchAsked
  readonly bind: Bind
}

/** Behind a place, the newest of a slice: their places and lengths, which cost no reading of what is long. */
function textsSql({ table, prefix, content, where }: Texts, { asked, bind, narrowing, texts }: TextsAsked): string {
  const seen = seenSessions(asked.viewer)
  const conditions = [where]
  if (asked.after !== null) conditions.push(`c.id < ${bind(`${prefix}${asked.after}`)}::text`)
  if (seen.prefix !== null) conditions.push(`c.session_id LIKE ${bind(`${likeLiteral(seen.prefix)}%`)}::text`)
  if (seen.participant !== null && (narrowing === null || asked.sessionId !== null))
    conditions.push(`(SELECT true FROM participants p
      WHERE p.session_id = c.session_id AND p.user_name = ${bind(seen.participant)}::text)`)
  const place = `substr(c.id, ${prefix.length + 1}) AS place`
  const of = `SELECT ${place}, c.id, c.session_id, octet_length(c.${content}) AS bytes FROM ${table} c`
  const from =
    narrowing === null
      ? `${of} WHERE ${conditions.join(' AND ')}`
      : `SELECT c.* FROM (${narrowing.sql(bind(narrowing.value))}) few
          CROSS JOIN LATERAL (${of} WHERE c.session_id = few.id AND ${conditions.join(' AND ')} OFFSET 0) c`
  return `${from} ORDER BY c.id DESC LIMIT ${texts}`
}

/** Whether a text is one that is wanted. What was erased is none, and what was redacted is not in it. */
function matchSql(alternatives: readonly WantedWords[], bind: Bind): string {
  // Folded once, not for each text.
  const has = (word: string): string => `strpos(plain, (SELECT search_plain(${bind(word)}::text))) > 0`
  const wanted = alternatives.map(({ words, without }) =>
    [...words.map(has), ...without.map((word) => `NOT ${has(word)}`)].join(' AND '),
  )
  // Of what is ASCII there is nothing but its case to fold, which takes a tenth of the time.
  return `(SELECT ${wanted.map((one) => `(${one})`).join(' OR ')} FROM (
      SELECT CASE WHEN octet_length(t) = char_length(t) THEN lower(t COLLATE "C") ELSE search_plain(t) END AS plain FROM (
        SELECT replace(nullif(coalesce((SELECT content FROM messages m WHERE m.id = numbered.id),
          (SELECT output FROM tasks k WHERE k.id = numbered.id)), '${ERASED}'), '${REDACTED}', E'\\n') AS t OFFSET 0
      ) said OFFSET 0
    ) folded)`
}

/** Without those that are no part of the conversation, or whose session was deleted meanwhile. */
async function readEntries(database: Database, matches: readonly Match[]): Promise<readonly FoundEntry[]> {
  const places = matches.flatMap(({ id, sessionId }) =>
    id.startsWith(MESSAGES.prefix) ? [{ sessionId, seq: 0, messageId: id }] : [],
  )
  const taskIds = matches.flatMap(({ id }) => (id.startsWith(TASKS.prefix) ? [id] : []))
  const [said, written] = await Promise.all([readEntriesAt(database, places), readTextsOf(database, taskIds)])
  const entries = new Map([...said.values(), ...written].map((entry) => [entry.messageId ?? entry.taskId, entry]))
  return matches.flatMap(({ place, id }) => {
    const entry = entries.get(id)
    return entry === undefined ? [] : [{ place, entry }]
  })
}
