/** The queries for learnings (of all sessions, from either end: the inbox), and the subscription to them. */
import type { Prisma } from '../../../generated/prisma/client.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { BEGINS, OFTEN } from '../list-update.ts'
import { fromBothEnds } from '../paging/connection-type.ts'
import { LearningRow, LearningType } from './learning.ts'
import { LearningFilterInput, learningsMatching } from './learning-filter.ts'
import { visibleSessions } from '../session/session-visibility.ts'

const ADMIN = { admin: true } as const

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
    type: LearningRow.connection,
    nullable: true,
    authScopes: ADMIN,
    description:
      'What was learned, newest first unless `orderBy` says otherwise. With status PENDING: the inbox; with `held`, what ' +
      'waits for a person. For admins.',
    args: {
      ...fromBothEnds(t),
      orderBy: t.arg({ type: LearningOrderEnum, description: 'In which order; NEWEST when left out.' }),
      filter: t.arg({ type: LearningFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, orderBy, ...args }, context, info) => {
      const where = await learningsMatching(context, filter)
      return LearningRow.byId({ cursor: 'learnings1', args, context, info }, where, orderBy === 'OLDEST')
    },
  }),
)

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

LearningRow.updates('learningUpdates', {
  authScopes: ADMIN,
  description: `Learnings that are new, or that were decided; ${OFTEN}. ${BEGINS} For admins.`,
  follow: ({ rowNotifier }) => rowNotifier.follow('learning'),
})
