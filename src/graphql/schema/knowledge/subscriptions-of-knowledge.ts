/** The subscriptions by which admins watch what is learned, and what becomes of it. */
import { builder } from '../builder.ts'
import { stillThere } from '../still-there.ts'

const MISSED = 'What changed while you were not connected is not told: load the list after you have subscribed.'

builder.subscriptionField('learningUpdates', (t) =>
  t.prismaField({
    type: 'Learning',
    authScopes: { admin: true },
    description:
      'Learnings that are new, or about which somebody decided; at most four times a second each, now and then one that ' +
      `has not changed. ${MISSED} For admins.`,
    subscribe: (_root, _args, context) => context.knowledgeNotifier.follow('learning'),
    resolve: (query, id, _args, { database }) =>
      stillThere(database.prisma.learning.findUnique({ ...query, where: { id } })),
  }),
)

builder.subscriptionField('factUpdates', (t) =>
  t.prismaField({
    type: 'Fact',
    authScopes: { admin: true },
    description:
      'Facts that are new or changed, by an admin or by a turn; at most four times a second each, now and then one that ' +
      `has not changed. ${MISSED} For admins.`,
    subscribe: (_root, _args, context) => context.knowledgeNotifier.follow('fact'),
    resolve: (query, id, _args, { database }) =>
      stillThere(database.prisma.fact.findUnique({ ...query, where: { id } })),
  }),
)
