/** The queries for learnings (of all sessions, from either end: the inbox), and the subscription to them. */
import type { Prisma } from '../../../generated/prisma/client.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate, OFTEN } from '../list-update.ts'
import { PAGING, type Row } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { LearningConnection, LearningType } from './learning.ts'
import { LearningFilterInput, learningsMatching } from './learning-filter.ts'
import { readPageRequest, type PageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { visibleSessions } from '../session/session-visibility.ts'

const ADMIN = { admin: true } as const
const ID = { id: true } as const

type LearningOrder = 'NEWEST' | 'OLDEST'

const LearningOrderEnum = builder.enumType('LearningOrder', {
  description: 'How learnings are sorted: by when they were learned.',
  values: {
    NEWEST: { description: 'Newest first.' },
    OLDEST: { description: 'Oldest first: what waits longest.' },
  } as const satisfies Record<LearningOrder, { readonly description: string }>,
})

builder.queryField('learnings', (t) =>
  t.field({
    type: LearningConnection,
    nullable: true,
    authScopes: { admin: true },
    description:
      'What was learned, newest first unless `orderBy` says otherwise. With status PENDING: the inbox; with `held`, what ' +
      'waits for a person. For admins.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      last: t.arg.int({ description: PAGING.last }),
      before: t.arg.string({ description: PAGING.before }),
      orderBy: t.arg({ type: LearningOrderEnum, description: 'In which order; NEWEST when left out.' }),
      filter: t.arg({ type: LearningFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, orderBy, ...args }, context, info) => {
      const request = readPageRequest('learnings1', args, info)
      const { learning } = context.database.prisma
      const where = await learningsMatching(context, filter)
      const rows: Row[] = await learning.findMany({
        ...selectNodes({ context, info }, 'Learning', ID),
        ...pageOf(request, orderBy ?? 'NEWEST', where),
        take: request.size + 1,
      })
      const placed = rows.map((node) => ({ node, position: [node.id] as [string] }))
      const totalCount = () => learning.count({ where, take: MAX_COUNTED })
      return { ...toPage('learnings1', request, placed), totalCount }
    },
  }),
)

/** Ids sort by time of creation. */
function pageOf(
  { after, before, fromEnd }: PageRequest<'learnings1'>,
  order: LearningOrder,
  where: Prisma.LearningWhereInput,
) {
  const [later, earlier] = order === 'NEWEST' ? ([before, after] as const) : ([after, before] as const)
  const between: Prisma.LearningWhereInput[] = [
    ...(later === null ? [] : [{ id: { gt: later[0] } }]),
    ...(earlier === null ? [] : [{ id: { lt: earlier[0] } }]),
  ]
  const direction: Prisma.SortOrder = (order === 'NEWEST') === fromEnd ? 'asc' : 'desc'
  return { where: { AND: [where, ...between] }, orderBy: { id: direction } }
}

builder.queryField('learning', (t) =>
  t.prismaField({
    type: LearningType,
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'The learning with this number; null when there is none in a session that you may see. By id: node.',
    args: { number: t.arg.int({ required: true, description: 'Its `number`, without the sign.' }) },
    resolve: (query, _root, { number }, { database, viewer }) => {
      const where: Prisma.LearningWhereInput = { number, session: visibleSessions(viewer) }
      return database.prisma.learning.findFirst({ ...query, where })
    },
  }),
)

const LearningUpdate = listUpdate('Learning', ADMIN)
builder.objectField(LearningUpdate, 'learning', (t) =>
  t.prismaField({
    type: 'Learning',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database }) =>
      id === null ? null : database.prisma.learning.findUnique({ ...query, where: { id } }),
  }),
)

builder.subscriptionField('learningUpdates', (t) =>
  t.field({
    type: LearningUpdate,
    authScopes: ADMIN,
    description: `Learnings that are new, or that were decided; ${OFTEN}. ${BEGINS} For admins.`,
    subscribe: (_root, _args, context) => context.rowNotifier.follow('learning'),
    resolve: (change) => change,
  }),
)
