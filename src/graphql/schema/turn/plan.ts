/** What the planner made of a message. */
import { row } from '../row.ts'
import { inVisibleSession } from '../session/session-visibility.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { NodeInterface } from '../node.ts'
import { ALL_STORED } from '../paging/page-sizes.ts'

export const PlanType = builder.prismaObject('Plan', {
  description: 'A goal and the tasks that lead to it. A replan is a further plan of the same turn.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "plan_".' }),
    turn: t.relation('turn', { description: 'The turn it belongs to.' }),
    attempt: t.exposeInt('attempt', { description: "1 for the turn's first plan, 2 for its first replan, and so on." }),
    goal: t.exposeString('goal', { description: 'What the tasks are to reach, in the words of the planner.' }),
    replanReason: t.exposeString('replanReason', {
      nullable: true,
      description: 'Why the plan before it was given up; null for the first.',
    }),
    tasks: t.relation('tasks', {
      extensions: ALL_STORED,
      query: { orderBy: { index: 'asc' } },
      description: 'Its tasks, in the order in which they run.',
    }),
    secretNames: t.exposeStringList('secretNames', {
      extensions: ALL_STORED,
      description: 'The names under which the planner found secrets in the message. Their values are stored nowhere.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was accepted.' }),
  }),
})

export const PlanRow = row('Plan', {
  kind: 'plan',
  table: (prisma) => prisma.plan,
  visible: ({ viewer }, id) => inVisibleSession(viewer, id),
  connection: null,
})
