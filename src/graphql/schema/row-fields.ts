/**
 * Fields of events and payloads that show the row they tell of, as it is now. Neighbours are loaded in one statement;
 * who asks for the id alone, as most who send a message do, costs none.
 */
import type { BuilderTypes } from './builder.ts'
import { stillThere } from './still-there.ts'

type Fields<Parent> = PothosSchemaTypes.ObjectFieldBuilder<BuilderTypes, Parent>

export function sessionField<Parent extends { readonly sessionId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Session',
    description: 'The session as it is now.',
    resolve: (query, { sessionId: id }, _args, { database }) =>
      rowOf(id, query, () => database.prisma.session.findUnique({ ...query, where: { id } })),
  })
}

export function messageField<Parent extends { readonly messageId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Message',
    description: 'The message as it is now.',
    resolve: (query, { messageId: id }, _args, { database }) =>
      rowOf(id, query, () => database.prisma.message.findUnique({ ...query, where: { id } })),
  })
}

export function turnField<Parent extends { readonly turnId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Turn',
    description: 'The turn as it is now.',
    resolve: (query, { turnId: id }, _args, { database }) =>
      rowOf(id, query, () => database.prisma.turn.findUnique({ ...query, where: { id } })),
  })
}

export function planField<Parent extends { readonly planId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Plan',
    description: 'The plan, with its tasks as they are now.',
    resolve: (query, { planId: id }, _args, { database }) =>
      rowOf(id, query, () => database.prisma.plan.findUnique({ ...query, where: { id } })),
  })
}

export function factField<Parent extends { readonly factId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Fact',
    description: 'The fact as it is now.',
    resolve: (query, { factId: id }, _args, { database }) =>
      stillThere(database.prisma.fact.findUnique({ ...query, where: { id } })),
  })
}

export function learningField<Parent extends { readonly learningId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Learning',
    description: 'The learning as it is now.',
    resolve: (query, { learningId: id }, _args, { database }) =>
      stillThere(database.prisma.learning.findUnique({ ...query, where: { id } })),
  })
}

export function questionField<Parent extends { readonly questionId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Question',
    description: 'The question as it is now.',
    resolve: (query, { questionId: id }, _args, { database }) =>
      stillThere(database.prisma.question.findUnique({ ...query, where: { id } })),
  })
}

export function approvalField<Parent extends { readonly approvalId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Approval',
    description: 'The approval as it is now.',
    resolve: (query, { approvalId: id }, _args, { database }) =>
      rowOf(id, query, () => database.prisma.approval.findUnique({ ...query, where: { id } })),
  })
}

export function taskField<Parent extends { readonly taskId: string }>(t: Fields<Parent>) {
  return t.prismaField({
    type: 'Task',
    description: 'The task as it is now, which may be further than what tells of it.',
    resolve: (query, { taskId: id }, _args, { database }) =>
      rowOf(id, query, () => database.prisma.task.findUnique({ ...query, where: { id } })),
  })
}

/**
 * The row as far as it is asked for, whatever the plugin's types say of its other columns. The id alone needs no read.
 */
export function rowOf<Row extends { readonly id: string }>(
  id: string,
  { select = {} }: { readonly select?: object },
  read: () => Promise<Row | null>,
): Row | Promise<Row> {
  const columns = Object.keys(select)
  return columns.length === 1 && columns[0] === 'id' ? ({ id } as Row) : stillThere(read())
}
