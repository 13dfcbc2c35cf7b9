/** What a session holds: its messages, turns, tasks and events, page by page. */
import type { GraphQLResolveInfo } from 'graphql'
import { must } from '../../../platform/must.ts'
import type { GraphQLContext } from '../../context.ts'
import type { LogEntry } from '../../live/log-view.ts'
import { loadAt } from '../paging/load-at.ts'
import { builder } from '../builder.ts'
import { connectionOf, PAGING, type Row } from '../paging/connection-type.ts'
import type { CursorKind } from '../paging/cursor.ts'
import { describeFirst, EVENT_PAGE, PAGES } from '../paging/page-sizes.ts'
import { readEventPage, readEventPages } from '../paging/read-event-pages.ts'
import { MessageConnection } from '../message/message.ts'
import { loadNestedPages, type ChildKey, type NestedList } from '../paging/load-nested-pages.ts'
import { readPageRequest, readPageSize } from '../paging/page-request.ts'
import type { Page } from '../paging/page.ts'
import { selectNodes } from '../paging/select-nodes.ts'
import { readSeqPages, type SeqKey } from '../paging/read-seq-pages.ts'
import { SessionEventTypeEnum, wantedTypes } from './event-types.ts'
import { SessionEventInterface } from './session-event.ts'
import { SessionType } from './session.ts'
import { readTaskPages, TaskFilterInput } from '../turn/task-filter.ts'
import { TaskConnection } from '../turn/task.ts'
import { TurnConnection } from '../turn/turn.ts'

const ID = { id: true } as const

interface Place {
  readonly context: GraphQLContext
  readonly info: GraphQLResolveInfo
}

builder.prismaObjectField(SessionType, 'messages', (t) =>
  t.field({
    type: MessageConnection,
    description: 'Its messages, in the order in which they arrived. "last: 50" is the end of the conversation.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      last: t.arg.int({ description: PAGING.last }),
      before: t.arg.string({ description: PAGING.before }),
    },
    select: ID,
    resolve: (session, args, context, info) => {
      const { database } = context
      const request = readPageRequest('messages1', args, info)
      const query = selectNodes({ context, info }, 'Message', ID)
      return loadPage({ context, info }, session.id, {
        kind: 'messages1',
        request,
        readKeys: (ids) => readSeqPages(database, { table: 'messages', request }, ids),
        position: (key: SeqKey): [number] => [key.seq],
        loadRows: (ids) => database.prisma.message.findMany({ ...query, where: { id: { in: ids } } }),
      })
    },
  }),
)

builder.prismaObjectField(SessionType, 'turns', (t) =>
  t.field({
    type: TurnConnection,
    description: 'Its turns, oldest first. "last: 20" are the newest.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      last: t.arg.int({ description: PAGING.last }),
      before: t.arg.string({ description: PAGING.before }),
    },
    select: ID,
    resolve: (session, args, context, info) => {
      const { database } = context
      const request = readPageRequest('turns1', args, info)
      const query = selectNodes({ context, info }, 'Turn', ID)
      return loadPage({ context, info }, session.id, {
        kind: 'turns1',
        request,
        readKeys: (ids) => readSeqPages(database, { table: 'turns', request }, ids),
        position: (key: SeqKey): [number] => [key.seq],
        loadRows: (ids) => database.prisma.turn.findMany({ ...query, where: { id: { in: ids } } }),
      })
    },
  }),
)

builder.prismaObjectField(SessionType, 'tasks', (t) =>
  t.field({
    type: TaskConnection,
    description: 'Its tasks, newest first.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: TaskFilterInput, description: 'Which of them; all when left out.' }),
    },
    select: ID,
    resolve: (session, { filter, ...args }, context, info) => {
      const { database } = context
      const request = readPageRequest('tasks1', args, info)
      const query = selectNodes({ context, info }, 'Task', ID)
      return loadPage({ context, info }, session.id, {
        kind: 'tasks1',
        request,
        readKeys: (ids) => readTaskPages(database, { request, filter }, ids),
        position: (key): [string] => [key.id],
        loadRows: (ids) => database.prisma.task.findMany({ ...query, where: { id: { in: ids } } }),
      })
    },
  }),
)

const EventConnection = connectionOf<LogEntry>(SessionEventInterface, {
  name: 'SessionEvent',
  order: 'in the order of the log; the cursor of an event is its seq',
})

builder.prismaObjectField(SessionType, 'events', (t) =>
  t.field({
    type: EventConnection,
    extensions: { paged: EVENT_PAGE },
    description:
      'Its log, oldest first. Follow it with the subscription sessionEvents. Where only some types are asked for, a page may have fewer ' +
      'than are left: go on while pageInfo says that there is more.',
    args: {
      first: t.arg.int({ description: describeFirst(EVENT_PAGE) }),
      after: t.arg.string({ description: 'Only events with a greater seq than this one: "42".' }),
      last: t.arg.int({ description: `How many from the end: 1 to ${EVENT_PAGE.max}. Not together with "first".` }),
      before: t.arg.string({ description: 'Only events with a smaller seq than this one.' }),
      types: t.arg({ type: [SessionEventTypeEnum], description: 'Only events of these types; all when left out.' }),
    },
    select: ID,
    resolve: async (session, { types, ...args }, context, info) => {
      const wanted = wantedTypes(types)
      const size = readPageSize(args, info)
      const request = readEventPage(args, { size, types: wanted === null ? null : [...wanted] })
      const page = await loadAt({ context, info }, session.id, (ids) => readEventPages(context.database, request, ids))
      return must(page, 'every session has a page')
    },
  }),
)

async function loadPage<K extends CursorKind, Key extends ChildKey>(
  place: Place,
  sessionId: string,
  list: NestedList<K, Key>,
): Promise<Page<Row>> {
  const page = await loadAt(place, sessionId, (sessionIds) => loadNestedPages(list, sessionIds))
  return must(page, 'every session has a page')
}
