/**
 * Which facts a list shows, and the ids of a page of them. A search goes over the words of a fact (full text, in no
 * language in particular) and over its normal text, so that it also finds parts of words and languages that put no
 * spaces between them. Neither minds accents, but for parts of one or two characters.
 */
import { normalText } from '../../../core/text/normal-text.ts'
import type { FactScope, FactSource } from '../../../core/status.ts'
import type { Database } from '../../../store/database.ts'
import { builder } from '../builder.ts'
import { checkSearch, MAX_SEARCH_LENGTH } from '../values/check-search.ts'
import { usesSql, type UseContext } from './fact-uses.ts'
import { shownFactsSql } from './facts-shown.ts'
import { FactScopeEnum, FactSourceEnum } from './fact-enums.ts'
import { likeLiteral } from '../values/like-literal.ts'
import { matchable } from '../values/matchable.ts'
import { readNumber } from '../values/read-number.ts'
import { COUNTED_PAGE, countIds, type IdQuery } from '../paging/counted.ts'
import type { PageRequest } from '../paging/page-request.ts'

export interface FactFilter {
  readonly search?: string | null | undefined
  readonly source?: readonly FactSource[] | null | undefined
  readonly sessionId?: string | null | undefined
  readonly includeInvalidated?: boolean | null | undefined
  readonly scope?: readonly FactScope[] | null | undefined
  readonly scopeOf?: string | null | undefined
  readonly reviewed?: boolean | null | undefined
}

export const FactFilterInput = builder.inputType('FactFilter', {
  description: 'Which facts to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    search: t.string({
      description:
        'Only those that contain these words, or this text, with or without accents; with #1284 the one with that number. ' +
        '"or" between words, a minus before one and quotation marks ' +
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
    reviewed: t.boolean({
      description: 'Only those that a person has reviewed (Fact.reviewedAt), or only the others.',
    }),
  }),
})

type FactOrder = 'NEWEST' | 'MOST_USED'

export const FactOrderEnum = builder.enumType('FactOrder', {
  description: 'In which order facts are listed.',
  values: {
    NEWEST: { description: 'Those first that were made last.' },
    MOST_USED: {
      description:
        'Those first that most turns relied on (Fact.useCount without its bound); of equal ones those that were made last. ' +
        'What is used while one pages may be seen twice or not at all.',
    },
  } as const satisfies Record<FactOrder, object>,
})

interface FactsWanted {
  readonly request: PageRequest<'facts1' | 'usedFacts1'>
  readonly filter: FactFilter | null | undefined
  readonly context: Parameters<typeof shownFactsSql>[0]
}

/** A fact of a page, with how many turns relied on it; 0 where the order does not ask for that. */
export interface PlacedFact {
  readonly id: string
  readonly uses: number
}

/** Up to `request.size + 1` facts, newest first. */
export function readNewestFacts(
  database: Database,
  wanted: FactsWanted & { readonly request: PageRequest<'facts1'> },
): Promise<PlacedFact[]> {
  const { after, size } = wanted.request
  const { text, values } = factIds({ ...wanted, size }, (bind) => ({
    columns: '0 AS uses',
    from: '',
    where: after === null ? [] : [`id < ${bind(after[0])}::text`],
    order: 'id DESC',
  }))
  // Not prepared: which plan is best depends on the words.
  return database.query<PlacedFact>({ name: '', text }, values)
}

/** The same, most used first. */
export function readMostUsedFacts(
  database: Database,
  wanted: FactsWanted & { readonly request: PageRequest<'usedFacts1'>; readonly context: UseContext },
): Promise<PlacedFact[]> {
  const { after, size } = wanted.request
  const { text, values } = factIds({ ...wanted, size }, (bind) => ({
    columns: 'coalesce(used.uses, 0) AS uses',
    from: `LEFT JOIN (${usesSql(wanted.context, bind)}) used ON used.fact_id = f.id`,
    where: after === null ? [] : [`(coalesce(used.uses, 0), id) < (${bind(after[0])}::int, ${bind(after[1])}::text)`],
    order: 'coalesce(used.uses, 0) DESC, id DESC',
  }))
  return database.query<PlacedFact>({ name: '', text }, values)
}

/** How many there are; see ../paging/counted.ts. */
export function countFacts(database: Database, wanted: Omit<FactsWanted, 'request'>): Promise<number> {
  const all = () => ({ columns: '0 AS uses', from: '', where: [], order: 'id DESC' })
  return countIds(database, factIds({ ...wanted, size: COUNTED_PAGE.size }, all))
}

interface Placing {
  readonly columns: string
  readonly from: string
  readonly where: readonly string[]
  readonly order: string
}

type Bind = (value: unknown) => string

interface Wanted extends Omit<FactsWanted, 'request'> {
  readonly size: number
}

function factIds({ size, filter, context }: Wanted, placing: (bind: Bind) => Placing): IdQuery {
  const values: unknown[] = [size + 1]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const { columns, from, where: placed, order } = placing(bind)
  const conditions = [...conditionsOf(filter ?? {}, bind), ...placed]
  const isNobody = context.viewer.role !== 'ADMIN' && context.viewer.user === null
  const shown = isNobody ? 'false' : shownFactsSql(context, bind)
  if (shown !== null) conditions.push('invalidated_at IS NULL', `(${shown})`)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return { text: `SELECT id, ${columns} FROM facts f ${from} ${where} ORDER BY ${order} LIMIT $1`, values }
}

function conditionsOf(filter: FactFilter, bind: (value: unknown) => string): string[] {
  const { search, source, scope, scopeOf, sessionId, includeInvalidated, reviewed } = filter
  const conditions: string[] = []
  if (includeInvalidated !== true) conditions.push('invalidated_at IS NULL')
  if (source != null && source.length > 0) conditions.push(`source = ANY (${bind(source)}::fact_source[])`)
  if (scope != null && scope.length > 0) conditions.push(`scope = ANY (${bind(scope)}::fact_scope[])`)
  if (scopeOf != null) conditions.push(`scope_of = ${bind(matchable(scopeOf))}::text`)
  if (sessionId != null) conditions.push(`session_id = ${bind(matchable(sessionId))}::text`)
  if (reviewed != null) conditions.push(`reviewed_at IS ${reviewed ? 'NOT NULL' : 'NULL'}`)
  if (search != null) conditions.push(searchSql(checkSearch(search), bind))
  return conditions
}

/** What is only punctuation is in no fact's normal text: then the words alone decide, of which there are none. */
function searchSql(search: string, bind: (value: unknown) => string): string {
  const number = readNumber(search)
  if (number !== null) return `number = ${bind(number)}::int`
  const words = `to_tsvector('plain', content) @@ websearch_to_tsquery('plain', ${bind(search)}::text)`
  const norm = normalText(search)
  if (norm === '') return words
  const part = `${bind(`%${likeLiteral(norm)}%`)}::text`
  // No index knows so short a part: all facts are read, and to make each one's words anew takes ten times as long.
  if (norm.length < TRIGRAM_CHARS) return `(id IN (SELECT id FROM facts WHERE ${words}) OR norm LIKE ${part})`
  return `(${words} OR search_part(norm) LIKE search_part(${part}))`
}

const TRIGRAM_CHARS = 3
