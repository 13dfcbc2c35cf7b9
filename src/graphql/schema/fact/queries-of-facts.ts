/** The queries for facts, and the subscription to what becomes of them. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { BEGINS, OFTEN } from '../list-update.ts'
import { FactRow, FactType } from './fact.ts'
import { factsShown } from './facts-shown.ts'
import { countFacts, FactFilterInput, FactOrderEnum, readMostUsedFacts, readNewestFacts } from './fact-filter.ts'

const ADMIN = { admin: true } as const

builder.queryField('facts', (t) =>
  t.field({
    type: FactRow.connection,
    nullable: true,
    authScopes: AUTHENTICATED,
    description:
      'The facts: for admins all, for users those that are shown to them, for connectors none. With reviewed: false and ' +
      'MOST_USED: what no person has reviewed, and what matters most of it first.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: FactFilterInput, description: 'Which of them; all that are in use when left out.' }),
      orderBy: t.arg({ type: FactOrderEnum, description: 'In which order; newest first when left out.' }),
    },
    resolve: async (_root, { filter, orderBy, ...args }, context, info) => {
      const { database } = context
      const wanted = { filter, context }
      const page =
        orderBy === 'MOST_USED'
          ? await FactRow.ofKeys(
              { cursor: 'usedFacts1', args, context, info },
              {
                read: (request) => readMostUsedFacts(database, { ...wanted, request }),
                position: ({ uses, id }): [number, string] => [uses, id],
              },
            )
          : await FactRow.ofKeys(
              { cursor: 'facts1', args, context, info },
              {
                read: (request) => readNewestFacts(database, { ...wanted, request }),
                position: ({ id }): [string] => [id],
              },
            )
      return { ...page, totalCount: () => countFacts(database, wanted) }
    },
  }),
)

builder.queryField('fact', (t) =>
  t.prismaField({
    type: FactType,
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'The fact with this number; null when there is none that you are shown. By id: node.',
    args: { number: t.arg.int({ required: true, description: 'Its `number`, without the sign.' }) },
    resolve: async (query, _root, { number }, context) => {
      const { prisma } = context.database
      const found = await prisma.fact.findUnique({ where: { number }, select: { id: true } })
      if (found === null || !(await factsShown(context, [found.id])).has(found.id)) return null
      return prisma.fact.findUnique({ ...query, where: { id: found.id } })
    },
  }),
)

FactRow.updates('factUpdates', {
  authScopes: ADMIN,
  description: `Facts that are new or changed, by an admin or by a turn; ${OFTEN}. ${BEGINS} For admins.`,
  follow: ({ rowNotifier }) => rowNotifier.follow('fact'),
})
