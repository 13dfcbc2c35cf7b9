/** The query for the questions of all sessions, and the subscription to what becomes of them: admins' alone. */
import type { QuestionStatus } from '../../../core/status.ts'
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate, OFTEN } from '../list-update.ts'
import { PAGING, type Row } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { matchable } from '../values/matchable.ts'
import { QuestionConnection, QuestionStatusEnum } from './question.ts'

const ADMIN = { admin: true } as const
const ID = { id: true } as const

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

const QuestionUpdate = listUpdate('Question', ADMIN)
builder.objectField(QuestionUpdate, 'question', (t) =>
  t.prismaField({
    type: 'Question',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database }) =>
      id === null ? null : database.prisma.question.findUnique({ ...query, where: { id } }),
  }),
)

builder.subscriptionField('questionUpdates', (t) =>
  t.field({
    type: QuestionUpdate,
    authScopes: ADMIN,
    description: `Questions that are new, or that were answered or dismissed; ${OFTEN}. ${BEGINS} For admins.`,
    subscribe: (_root, _args, context) => context.rowNotifier.follow('question'),
    resolve: (change) => change,
  }),
)
