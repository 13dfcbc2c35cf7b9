/** Queries for facts and questions of all sessions; but for facts, admins' alone. Of learnings: ../inbox. */
import type { QuestionStatus } from '../../../core/status.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { PAGING, type Row } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { FactConnection } from './fact.ts'
import { countFacts, FactFilterInput, readFactPage } from './fact-filter.ts'
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
      'The facts, newest first: for admins all, for users those that are shown to them, for connectors none.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: FactFilterInput, description: 'Which of them; all that are in use when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const request = readPageRequest('facts1', args, info)
      const { prisma } = context.database
      const ids = await readFactPage(context.database, { request, filter, context })
      const query = selectNodes({ context, info }, 'Fact', ID)
      const rows =
        ids.length === 0 ? [] : await prisma.fact.findMany({ ...query, where: { id: { in: ids } }, ...NEWEST })
      const totalCount = () => countFacts(context.database, { filter, context })
      return { ...toPage('facts1', request, placed(rows)), totalCount }
    },
  }),
)

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
