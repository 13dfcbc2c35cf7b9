/** Queries for facts and questions of all sessions; but for facts, admins' alone. Of learnings: ../inbox. */
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../../context.ts'
import type { QuestionStatus } from '../../../core/status.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { PAGING, type Row } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { FactConnection } from './fact.ts'
import {
  countFacts,
  FactFilterInput,
  FactOrderEnum,
  readMostUsedFacts,
  readNewestFacts,
  type PlacedFact,
} from './fact-filter.ts'
import { QuestionStatusEnum } from './knowledge-enums.ts'
import { matchable } from '../values/matchable.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { QuestionConnection } from './question.ts'
import { selectNodes } from '../paging/select-nodes.ts'

const ID = { id: true } as const

builder.queryField('facts', (t) =>
  t.field({
    type: FactConnection,
    nullable: true,
    authScopes: AUTHENTICATED,
    description:
      'The facts: for admins all, for users those that are shown to them, for connectors none. With reviewed: false and ' +
      'MOST_USED: what no person has looked at, and what matters most of it first.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: FactFilterInput, description: 'Which of them; all that are in use when left out.' }),
      orderBy: t.arg({ type: FactOrderEnum, description: 'In which order; newest first when left out.' }),
    },
    resolve: async (_root, { filter, orderBy, ...args }, context, info) => {
      const { database } = context
      const totalCount = () => countFacts(database, { filter, context })
      if (orderBy === 'MOST_USED') {
        const request = readPageRequest('usedFacts1', args, info)
        const found = await readMostUsedFacts(database, { request, filter, context })
        const rows = await loadFacts({ context, info }, found, ({ uses, id }): [number, string] => [uses, id])
        return { ...toPage('usedFacts1', request, rows), totalCount }
      }
      const request = readPageRequest('facts1', args, info)
      const found = await readNewestFacts(database, { request, filter, context })
      const rows = await loadFacts({ context, info }, found, ({ id }): [string] => [id])
      return { ...toPage('facts1', request, rows), totalCount }
    },
  }),
)

/** In the order in which they were found; one that is gone between the two statements is left out. */
async function loadFacts<Position>(
  place: { readonly context: GraphQLContext; readonly info: GraphQLResolveInfo },
  found: readonly PlacedFact[],
  position: (fact: PlacedFact) => Position,
): Promise<{ readonly node: Row; readonly position: Position }[]> {
  if (found.length === 0) return []
  const where = { id: { in: found.map(({ id }) => id) } }
  const rows = await place.context.database.prisma.fact.findMany({ ...selectNodes(place, 'Fact', ID), where })
  const byId = new Map<string, Row>(rows.map((row) => [row.id, row]))
  return found.flatMap((fact) => {
    const node = byId.get(fact.id)
    return node === undefined ? [] : [{ node, position: position(fact) }]
  })
}

const QuestionFilterInput = builder.inputType('QuestionFilter', {
  description: 'Which questions to list: those that match every field given. An empty list is the same as none.',
  fields: (t) => ({
    status: t.field({ type: [QuestionStatusEnum], description: 'Only those in one of these states.' }),
    sessionId: t.id({ description: 'Only those of this session; those of all sessions are not among them.' }),
  }),
})

builder.queryField('questions', (t) =>
  t.field({
    type: QuestionConnection,
    nullable: true,
    authScopes: { admin: true },
    description: 'The questions of all sessions, newest first. For admins.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: QuestionFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const request = readPageRequest('questions1', args, info)
      const { question } = context.database.prisma
      const where = matching<QuestionStatus>(filter)
      const rows = await question.findMany({
        ...selectNodes({ context, info }, 'Question', ID),
        where: { AND: [where, olderThan(request)] },
        ...NEWEST,
        take: request.size + 1,
      })
      const totalCount = () => question.count({ where, take: MAX_COUNTED })
      return { ...toPage('questions1', request, placed(rows)), totalCount }
    },
  }),
)

/** Ids sort by time of creation. */
const NEWEST = { orderBy: { id: 'desc' } } as const

interface Filter<Status extends string> {
  readonly status?: readonly Status[] | null | undefined
  readonly sessionId?: string | null | undefined
}

function matching<Status extends string>(
  filter: Filter<Status> | null | undefined,
): { status?: { in: Status[] }; sessionId?: string } {
  const { status, sessionId } = filter ?? {}
  return {
    ...(status == null || status.length === 0 ? {} : { status: { in: [...status] } }),
    ...(sessionId == null ? {} : { sessionId: matchable(sessionId) }),
  }
}

function olderThan({ after }: { readonly after: readonly [string] | null }): { id?: { lt: string } } {
  return after === null ? {} : { id: { lt: after[0] } }
}

function placed(rows: readonly Row[]): { readonly node: Row; readonly position: [string] }[] {
  return rows.map((node) => ({ node, position: [node.id] }))
}
