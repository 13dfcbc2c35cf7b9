/** Which sessions a list shows: the ids of a page of it, at a cost that does not grow with how many there are. */
import type { Viewer } from '../../../core/identity.ts'
import type { ConversationType, SessionStatus } from '../../../core/status.ts'
import type { Database } from '../../../store/database.ts'
import { checkSearch } from '../values/check-search.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { matchable } from '../values/matchable.ts'
import { findNarrowest, sessionsDescribed, sessionsLabelled, sessionsWith } from '../paging/narrowest.ts'
import { COUNTED_PAGE, countIds, type IdQuery } from '../paging/counted.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Bind } from '../paging/read-newest-page.ts'
import { seenSessions } from './session-visibility.ts'

export interface SessionFilter {
  readonly status?: readonly SessionStatus[] | null | undefined
  readonly sourceKind?: readonly string[] | null | undefined
  readonly conversationType?: ConversationType | null | undefined
  readonly participant?: string | null | undefined
  readonly search?: string | null | undefined
  readonly includeInactive?: boolean | null | undefined
  readonly metadata?: readonly { readonly key: string; readonly value: string }[] | null | undefined
}

export interface SessionKey {
  readonly id: string
  readonly at: Date
}

export interface SessionsWanted {
  readonly viewer: Viewer
  readonly filter: SessionFilter
  readonly request: PageRequest<'sessions1'>
}

/** Up to `request.size + 1`, newest activity first. */
export async function readSessionPage(database: Database, wanted: SessionsWanted): Promise<SessionKey[]> {
  const { text, values } = await sessionIds(database, wanted)
  // Not prepared: which plan is best depends on the values.
  return database.query<SessionKey>({ name: '', text }, values)
}

/** How many there are; see ../paging/counted.ts. */
export async function countSessions(database: Database, wanted: Omit<SessionsWanted, 'request'>): Promise<number> {
  return countIds(database, await sessionIds(database, { ...wanted, request: COUNTED_PAGE }))
}

async function sessionIds(database: Database, wanted: SessionsWanted): Promise<IdQuery> {
  const { viewer, filter, request } = wanted
  const { prefix, participant } = seenSessions(viewer)
  // The filter first: of two equally narrow ones, findNarrowest takes the first.
  const names = [filter.participant, participant].flatMap((name) => (name == null ? [] : [matchable(name)]))
  const participants = [...new Set(names)].map(sessionsWith)
  const labelled = (filter.metadata ?? []).map(({ key, value }) => sessionsLabelled(matchable(key), matchable(value)))
  const described = filter.search == null ? null : sessionsDescribed(patternOf(checkSearch(filter.search)))
  // A pattern under three characters reads all descriptions, so it is counted only when no participant is narrow.
  const narrowest =
    (await findNarrowest(database, [...labelled, ...participants])) ??
    (await findNarrowest(database, described === null ? [] : [described]))
  const values: unknown[] = [request.size + 1]
  const bind: Bind = (value) => `$${values.push(value)}`
  const conditions = [
    ...(prefix === null ? [] : [`s.id LIKE ${bind(`${likeLiteral(prefix)}%`)}::text`]),
    ...participants.filter((one) => one !== narrowest).map(({ value }) => participates(bind(value))),
    ...labelled.filter((one) => one !== narrowest).map(({ sql, value }) => `s.id IN (${sql(bind(value))})`),
    ...(described === null || described === narrowest ? [] : [isDescribed(bind(described.value))]),
    ...conditionsOf(filter, bind),
  ]
  if (request.after !== null) {
    const [at, id] = request.after
    conditions.push(`(s.last_activity_at, s.id) < (${bind(at)}::timestamptz, ${bind(id)}::text)`)
  }
  const from = narrowest === null ? 'sessions s' : lookedUp(narrowest.sql(bind(narrowest.value)))
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const text = `SELECT s.id, s.last_activity_at AS at FROM ${from} ${where}
    ORDER BY s.last_activity_at DESC, s.id DESC LIMIT $1`
  return { text, values }
}

/** Wide signs are made the usual ones first: a wide "％" would become a wildcard where the database does so. */
function patternOf(search: string): string {
  return `%${likeLiteral(search.normalize('NFKC'))}%`
}

/** For who walks the list, too; the pattern is folded once, not for each session. */
function isDescribed(pattern: string): string {
  return `(SELECT d.description LIKE (SELECT search_plain(${pattern}::text)) FROM session_descriptions d
    WHERE d.session_id = s.id)`
}

/** OFFSET 0: by their ids, and in no other way. */
function lookedUp(ids: string): string {
  return `(${ids}) few CROSS JOIN LATERAL (SELECT * FROM sessions WHERE sessions.id = few.id OFFSET 0) s`
}

/** A value for each session, not a join: for who walks the list. */
function participates(name: string): string {
  return `(SELECT true FROM participants p WHERE p.session_id = s.id AND p.user_name = ${name}::text)`
}

/** States and types stand in the text itself, so that PostgreSQL sees that a partial index holds all of them. */
function conditionsOf(filter: SessionFilter, bind: Bind): string[] {
  const { status, sourceKind, conversationType, includeInactive } = filter
  const conditions: string[] = []
  if (status != null && status.length > 0)
    conditions.push(`s.status IN (${status.map((one) => `'${one}'`).join(', ')})`)
  else if (includeInactive !== true) conditions.push("s.status <> 'INACTIVE'")
  const [kind, ...more] = sourceKind ?? []
  if (kind !== undefined && more.length === 0) conditions.push(`s.source_kind = ${bind(matchable(kind))}::text`)
  else if (kind !== undefined)
    conditions.push(`s.source_kind = ANY (${bind((sourceKind ?? []).map(matchable))}::text[])`)
  if (conversationType != null) conditions.push(`s.source_type = '${conversationType}'`)
  return conditions
}
