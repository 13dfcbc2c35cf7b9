/** Facts and learnings by the short number that a person can type: #1284. */
import type { Prisma } from '../../../generated/prisma/client.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { FactType } from '../knowledge/fact.ts'
import { factsShown } from '../knowledge/facts-shown.ts'
import { LearningType } from '../knowledge/learning.ts'
import { visibleSessions } from '../session/session-visibility.ts'

const DESCRIPTION = 'A short number for people, shown as #1284: given once in this database, and another one elsewhere.'

builder.prismaObjectField(FactType, 'number', (t) => t.exposeInt('number', { description: DESCRIPTION }))
builder.prismaObjectField(LearningType, 'number', (t) => t.exposeInt('number', { description: DESCRIPTION }))

const NUMBER = 'Its `number`, without the sign.'

builder.queryField('fact', (t) =>
  t.prismaField({
    type: FactType,
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'The fact with this number; null when there is none that you are shown. By id: node.',
    args: { number: t.arg.int({ required: true, description: NUMBER }) },
    resolve: async (query, _root, { number }, context) => {
      const { prisma } = context.database
      const found = await prisma.fact.findUnique({ where: { number }, select: { id: true } })
      if (found === null || !(await factsShown(context, [found.id])).has(found.id)) return null
      return prisma.fact.findUnique({ ...query, where: { id: found.id } })
    },
  }),
)

builder.queryField('learning', (t) =>
  t.prismaField({
    type: LearningType,
    nullable: true,
    authScopes: AUTHENTICATED,
    description: 'The learning with this number; null when there is none in a session that you may see. By id: node.',
    args: { number: t.arg.int({ required: true, description: NUMBER }) },
    resolve: (query, _root, { number }, { database, viewer }) => {
      const where: Prisma.LearningWhereInput = { number, session: visibleSessions(viewer) }
      return database.prisma.learning.findFirst({ ...query, where })
    },
  }),
)
