/**
 * The ids of a page of what belongs to sessions (approvals, tasks), newest first, of all sessions that a viewer may
 * see.
 */
import type { Viewer } from '../../../core/identity.ts'
import type { Database } from '../../../store/database.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { COUNTED_PAGE, countIds, type IdQuery } from './counted.ts'
import { findNarrowest, sessionsWith } from './narrowest.ts'
import type { PageRequest } from './page-request.ts'
import { seenSessions } from '../session/session-visibility.ts'

/** Adds a value to a statement; returns what stands for it. */
export type Bind = (value: unknown) => string

export interface NewestWanted {
  readonly table: 'approvals' | 'delegations' | 'tasks'
  readonly viewer: Viewer
  readonly request: PageRequest<'approvals1' | 'delegations1' | 'tasks1'>
  /** What else must hold of a row `c`, in SQL. */
  readonly conditions: (bind: Bind) => readonly string[]
  /** Reads the list from its old end. */
  readonly oldestFirst?: boolean
}

/** Up to `request.size + 1`. */
export async function readNewestPage(database: Database, wanted: NewestWanted): Promise<{ readonly id: string }[]> {
  const { text, values } = await newestIds(database, wanted)
  // Not prepared: which plan is best depends on the values.
  return database.query<{ id: string }>({ name: '', text }, values)
}

/** How many there are; see counted.ts. */
export async function countNewest(database: Database, wanted: Omit<NewestWanted, 'request'>): Promise<number> {
  return countIds(database, await newestIds(database, { ...wanted, request: COUNTED_PAGE }))
}

async function newestIds(database: Database, wanted: NewestWanted): Promise<IdQuery> {
  const { table, viewer, request, oldestFirst = false } = wanted
  const [behind, order] = oldestFirst ? ['>', 'ASC'] : ['<', 'DESC']
  const { prefix, participant } = seenSessions(viewer)
  const narrowest = participant === null ? null : await findNarrowest(database, [sessionsWith(participant)])
  const values: unknown[] = [request.size + 1]
  const bind: Bind = (value) => `$${values.push(value)}`
  const conditions = [...wanted.conditions(bind)]
  if (prefix !== null) conditions.push(`c.session_id LIKE ${bind(`${likeLiteral(prefix)}%`)}::text`)
  if (request.after !== null) conditions.push(`c.id ${behind} ${bind(request.after[0])}::text`)
  if (participant !== null && narrowest === null) conditions.push(participates(bind(participant)))
  if (narrowest !== null) conditions.push('c.session_id = few.id')
  const page = `SELECT c.id FROM ${table} c ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    ORDER BY c.id ${order} LIMIT $1`
  const text =
    narrowest === null
      ? page
      : `SELECT c.id FROM (${narrowest.sql(bind(narrowest.value))}) few CROSS JOIN LATERAL (${page}) c
          ORDER BY c.id ${order} LIMIT $1`
  return { text, values }
}

/** A value for each row, not a join: for who walks the list. */
function participates(name: string): string {
  return `(SELECT true FROM participants p WHERE p.session_id = c.session_id AND p.user_name = ${name}::text)`
}
