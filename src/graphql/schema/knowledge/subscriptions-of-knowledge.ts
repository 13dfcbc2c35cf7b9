/** The subscriptions by which admins watch what is learned, and what becomes of it. */
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate } from '../list-update.ts'

const ADMIN = { admin: true } as const
const OFTEN = 'at most four times a second each, now and then one that has not changed'

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
