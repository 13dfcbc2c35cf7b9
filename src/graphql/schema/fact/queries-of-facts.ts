/** The queries for facts, and the subscription to what becomes of them. */
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphQLContext } from '../../context.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { PAGING, type Row } from '../paging/connection-type.ts'
import { BEGINS, ENTRY, listUpdate, OFTEN } from '../list-update.ts'
import { FactConnection, FactType } from './fact.ts'
import { factsShown } from './facts-shown.ts'
import {
  countFacts,
  FactFilterInput,
  FactOrderEnum,
  readMostUsedFacts,
  readNewestFacts,
  type PlacedFact,
} from './fact-filter.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'

const ADMIN = { admin: true } as const
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

const FactUpdate = listUpdate('Fact', ADMIN)
builder.objectField(FactUpdate, 'fact', (t) =>
  t.prismaField({
    type: 'Fact',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database }) =>
      id === null ? null : database.prisma.fact.findUnique({ ...query, where: { id } }),
  }),
)

builder.subscriptionField('factUpdates', (t) =>
  t.field({
    type: FactUpdate,
    authScopes: ADMIN,
    description: `Facts that are new or changed, by an admin or by a turn; ${OFTEN}. ${BEGINS} For admins.`,
    subscribe: (_root, _args, context) => context.rowNotifier.follow('fact'),
    resolve: (change) => change,
  }),
)
