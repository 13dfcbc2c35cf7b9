/** Queries for what sessions hold: single messages, turns and tasks, and the list of all tasks. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { PAGING } from '../paging/connection-type.ts'
import { loadInOrder } from '../paging/load-in-order.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { readNewestPage, type Bind } from '../paging/read-newest-page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { TaskConnection, TaskRow } from '../turn/task.ts'
import { taskConditions, TaskFilterInput } from '../turn/task-filter.ts'
import { MessageRow } from '../message/message.ts'
import { TurnRow } from '../turn/turn.ts'

MessageRow.query('message', {
  description: 'The message with this id; null when there is none that you may see.',
  id: 'Its id: "msg_…".',
})

TurnRow.query('turn', {
  description: 'The turn with this id; null when there is none that you may see.',
  id: 'Its id: "turn_…".',
})

TaskRow.query('task', {
  description: 'The task with this id; null when there is none that you may see.',
  id: 'Its id: "task_…".',
})

builder.queryField('tasks', (t) =>
  t.field({
    type: TaskConnection,
    authScopes: AUTHENTICATED,
    description: 'The tasks of all sessions that you may see, newest first.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: TaskFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const { database, viewer } = context
      const request = readPageRequest('tasks1', args, info)
      const conditions = (bind: Bind): string[] => taskConditions(filter, bind)
      const keys = await readNewestPage(database, { table: 'tasks', viewer, request, conditions })
      const query = selectNodes({ context, info }, 'Task', { id: true })
      const load = (ids: string[]) => database.prisma.task.findMany({ ...query, where: { id: { in: ids } } })
      const placed = (await loadInOrder(keys, load)).map(({ node }) => ({ node, position: [node.id] as [string] }))
      return toPage('tasks1', request, placed)
    },
  }),
)
