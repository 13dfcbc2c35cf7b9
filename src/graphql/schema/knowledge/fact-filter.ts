/**
 * Which facts a list shows, and the ids of a page of them. A search goes over the words of a fact (full text, in no
 * language in particular) and over its normal text, so that it also finds parts of words and languages that put no
 * spaces between them.
 */
import { normalText } from '../../../core/text/normal-text.ts'
import type { FactScope, FactSource } from '../../../core/status.ts'
import type { Database } from '../../../store/database.ts'
import { builder } from '../builder.ts'
import { checkSearch, MAX_SEARCH_LENGTH } from '../values/check-search.ts'
import { shownFactsSql } from './facts-shown.ts'
import { FactScopeEnum, FactSourceEnum } from './knowledge-enums.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { matchable } from '../values/matchable.ts'
import { COUNTED_PAGE, countIds, type IdQuery } from '../paging/counted.ts'
import type { PageRequest } from '../paging/page-request.ts'

export interface FactFilter {
  readonly search?: string | null | undefined
  readonly source?: readonly FactSource[] | null | undefined
  readonly sessionId?: string | null | undefined
  readonly includeInvalidated?: boolean | null | undefined
  readonly scope?: readonly FactScope[] | null | undefined
  readonly scopeOf?: string | null | undefined
}

export const FactFilterInput = builder.inputType('FactFilter', {
  description: 'Which facts to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    search: t.string({
      description:
        'Only those that contain these words, or this text. "or" between words, a minus before one and quotation marks ' +
        `around several work as in web search. At most ${MAX_SEARCH_LENGTH} characters.`,
    }),
    source: t.field({ type: [FactSourceEnum], description: 'Only those made by one of these.' }),
    sessionId: t.id({ description: 'Only those that come from this session.' }),
    includeInvalidated: t.boolean({
      description:
        'Invalidated ones too. They are left out unless this asks for them. For admins; no others are shown them.',
    }),
    scope: t.field({ type: [FactScopeEnum], description: 'Only those of one of these scopes.' }),
    scopeOf: t.string({ description: 'Only those of this project, user or session; as Fact.scopeOf.' }),
  }),
})

interface FactsWanted {
  readonly request: PageRequest<'facts1'>
  readonly filter: FactFilter | null | undefined
  readonly context: Parameters<typeof shownFactsSql>[0]
}

/** Up to `request.size + 1` ids, newest first. */
export async function readFactPage(database: Database, wanted: FactsWanted): Promise<string[]> {
  const { text, values } = factIds(wanted)
  // Not prepared: which plan is best depends on the words.
  const rows = await database.query<{ id: string }>({ name: '', text }, values)
  return rows.map((row) => row.id)
}

/** How many there are; see ../paging/counted.ts. */
export function countFacts(database: Database, wanted: Omit<FactsWanted, 'request'>): Promise<number> {
  return countIds(database, factIds({ ...wanted, request: COUNTED_PAGE }))
}

function factIds({ request, filter, context }: FactsWanted): IdQuery {
  const values: unknown[] = [request.size + 1]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const conditions = conditionsOf(filter ?? {}, bind)
  const isNobody = context.viewer.role !== 'ADMIN' && context.viewer.user === null
  const shown = isNobody ? 'false' : shownFactsSql(context, bind)
  if (shown !== null) conditions.push('invalidated_at IS NULL', `(${shown})`)
  if (request.after !== null) conditions.push(`id < ${bind(request.after[0])}::text`)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return { text: `SELECT id FROM facts f ${where} ORDER BY id DESC LIMIT $1`, values }
}

function conditionsOf(filter: FactFilter, bind: (value: unknown) => string): string[] {
  const { search, source, scope, scopeOf, sessionId, includeInvalidated } = filter
  const conditions: string[] = []
  if (includeInvalidated !== true) conditions.push('invalidated_at IS NULL')
  if (source != null && source.length > 0) conditions.push(`source = ANY (${bind(source)}::fact_source[])`)
  if (scope != null && scope.length > 0) conditions.push(`scope = ANY (${bind(scope)}::fact_scope[])`)
  if (scopeOf != null) conditions.push(`scope_of = ${bind(matchable(scopeOf))}::text`)
  if (sessionId != null) conditions.push(`session_id = ${bind(matchable(sessionId))}::text`)
  if (search != null) conditions.push(searchSql(checkSearch(search), bind))
  return conditions
}

/** What is only punctuation is in no fact's normal text: then the words alone decide, of which there are none. */
function searchSql(search: string, bind: (value: unknown) => string): string {
  const words = `to_tsvector('simple', content) @@ websearch_to_tsquery('simple', ${bind(search)}::text)`
  const norm = normalText(search)
  return norm === '' ? words : `(${words} OR norm LIKE ${bind(`%${likeLiteral(norm)}%`)}::text)`
}
