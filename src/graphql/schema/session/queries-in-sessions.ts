/** Queries for what sessions hold: single messages, turns and tasks, and the list of all tasks. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { fromFront } from '../paging/connection-type.ts'
import { readNewestPage, type Bind } from '../paging/read-newest-page.ts'
import { TaskRow } from '../turn/task.ts'
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
    type: TaskRow.connection,
    authScopes: AUTHENTICATED,
    description: 'The tasks of all sessions that you may see, newest first.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: TaskFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: (_root, { filter, ...args }, context, info) => {
      const { database, viewer } = context
      const conditions = (bind: Bind): string[] => taskConditions(filter, bind)
      return TaskRow.ofKeys(
        { cursor: 'tasks1', args, context, info },
        {
          read: (request) => readNewestPage(database, { table: 'tasks', viewer, request, conditions }),
          position: ({ id }): [string] => [id],
        },
      )
    },
  }),
)
