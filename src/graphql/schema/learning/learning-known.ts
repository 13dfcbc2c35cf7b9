/**
 * What was known when a learning was learned: what it repeats, and what it is alike to; and of a question, the learning
 * and the facts that it is about: admins' alone. What became of it: facts-shown.ts.
 */
import type { Fact } from '../../../generated/prisma/client.ts'
import type { GraphQLContext } from '../../context.ts'
import { builder } from '../builder.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'
import type { Columns } from '../row.ts'
import { FactType } from '../fact/fact.ts'
import { ifShown } from '../fact/facts-shown.ts'
import { LearningType } from './learning.ts'
import { QuestionType } from '../question/question.ts'

builder.prismaObjectField(LearningType, 'fact', (t) =>
  t.field({
    type: FactType,
    nullable: true,
    description: 'The fact that it became; null unless PROMOTED, and when you are not shown the fact.',
    select: (_args, _context, nestedSelection) => ({ fact: nestedSelection(true) }),
    resolve: ({ fact }, _args, context, info) => ifShown(fact, { context, info }),
  }),
)

builder.prismaObjectField(LearningType, 'repeatsFact', (t) =>
  t.field({
    type: FactType,
    nullable: true,
    description: 'REFUSED: the fact that it repeats. For admins; null for others.',
    select: (_args, _context, nestedSelection) => ({ repeatsFact: nestedSelection(true) }),
    resolve: (learning, _args, { viewer }) => (viewer.role === 'ADMIN' ? learning.repeatsFact : null),
  }),
)

builder.prismaObjectField(LearningType, 'repeatsLearning', (t) =>
  t.field({
    type: LearningType,
    nullable: true,
    description: 'REFUSED: the learning that it repeats. For admins; null for others.',
    select: (_args, _context, nestedSelection) => ({ repeatsLearning: nestedSelection(true) }),
    resolve: (learning, _args, { viewer }) => (viewer.role === 'ADMIN' ? learning.repeatsLearning : null),
  }),
)

builder.prismaObjectField(LearningType, 'replacesFact', (t) =>
  t.field({
    type: FactType,
    nullable: true,
    description:
      'The fact in whose place it became one, or would (flag REPLACES), also where both were kept. For admins; null for ' +
      'others.',
    select: (_args, _context, nestedSelection) => ({ replacesFact: nestedSelection(true) }),
    resolve: (learning, _args, { viewer }) => (viewer.role === 'ADMIN' ? learning.replacesFact : null),
  }),
)

builder.prismaObjectField(LearningType, 'similarTo', (t) =>
  t.prismaField({
    type: ['Fact'],
    extensions: ALL_STORED,
    description:
      'At most five facts that were alike when it was learned, best first, whatever became of them. The curator ' +
      'compares them with it side by side. For admins; for others it is empty.',
    select: { similarFactIds: true },
    resolve: (query, { similarFactIds }, _args, context) => factsForAdmins(query, similarFactIds, context),
  }),
)

builder.prismaObjectField(QuestionType, 'facts', (t) =>
  t.prismaField({
    type: ['Fact'],
    extensions: ALL_STORED,
    description: 'The facts that it is about, whatever became of them. For admins; for others it is empty.',
    select: { factIds: true },
    resolve: (query, { factIds }, _args, context) => factsForAdmins(query, factIds, context),
  }),
)

builder.prismaObjectField(QuestionType, 'learning', (t) =>
  t.field({
    type: LearningType,
    nullable: true,
    description: 'The learning that it was asked about first. For admins; null for others, and where none was.',
    select: (_args, _context, nestedSelection) => ({
      learnings: { ...nestedSelection(true), orderBy: { id: 'asc' }, take: 1 },
    }),
    resolve: (question, _args, { viewer }) => (viewer.role === 'ADMIN' ? (question.learnings[0] ?? null) : null),
  }),
)

/** In the order of `ids`; those that were removed from the database are left out. */
async function factsForAdmins(
  query: Columns,
  ids: readonly string[],
  { viewer, database }: GraphQLContext,
): Promise<Fact[]> {
  if (viewer.role !== 'ADMIN' || ids.length === 0) return []
  const rows = await database.prisma.fact.findMany({ ...query, where: { id: { in: [...ids] } } })
  return rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id))
}
