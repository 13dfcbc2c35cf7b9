/** What a session holds: its messages, turns, tasks and events, page by page. */
import { must } from '../../../platform/must.ts'
import type { LogEntry } from '../../live/log-view.ts'
import { loadAt } from '../paging/load-at.ts'
import { builder } from '../builder.ts'
import { connectionOf, fromBothEnds, fromFront } from '../paging/connection-type.ts'
import { describeFirst, EVENT_PAGE } from '../paging/page-sizes.ts'
import { readEventPage, readEventPages } from '../paging/read-event-pages.ts'
import { MessageRow } from '../message/message.ts'
import { readPageSize, type PageRequest } from '../paging/page-request.ts'
import { SessionEventTypeEnum, wantedTypes } from './event-types.ts'
import { SessionEventInterface } from './session-event.ts'
import { SessionType } from './session.ts'
import { readTaskPages, TaskFilterInput } from '../turn/task-filter.ts'
import { TaskRow } from '../turn/task.ts'
import { TurnRow } from '../turn/turn.ts'
import type { Database } from '../../../store/database.ts'
import type { ChildKey } from '../paging/load-nested-pages.ts'
import { selectList, type PlainColumns } from '../paging/plain-columns.ts'

const ID = { id: true } as const

builder.prismaObjectField(SessionType, 'messages', (t) =>
  t.field({
    type: MessageRow.connection,
    description: 'Its messages, in the order in which they arrived. "last: 50" is the end of the conversation.',
    args: fromBothEnds(t),
    select: ID,
    resolve: (session, args, context, info) =>
      MessageRow.below({ cursor: 'messages1', args, context, info }, session.id, {
        read: (request, ids, columns) => readSeqPages(context.database, { table: 'messages', request, columns }, ids),
        readsRows: true,
        position: ({ seq }): [number] => [seq],
      }),
  }),
)

builder.prismaObjectField(SessionType, 'turns', (t) =>
  t.field({
    type: TurnRow.connection,
    description: 'Its turns, oldest first. "last: 20" are the newest.',
    args: fromBothEnds(t),
    select: ID,
    resolve: (session, args, context, info) =>
      TurnRow.below({ cursor: 'turns1', args, context, info }, session.id, {
        read: (request, ids, columns) => readSeqPages(context.database, { table: 'turns', request, columns }, ids),
        readsRows: true,
        position: ({ seq }): [number] => [seq],
      }),
  }),
)

builder.prismaObjectField(SessionType, 'tasks', (t) =>
  t.field({
    type: TaskRow.connection,
    description: 'Its tasks, newest first.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: TaskFilterInput, description: 'Which of them; all when left out.' }),
    },
    select: ID,
    resolve: (session, { filter, ...args }, context, info) =>
      TaskRow.below({ cursor: 'tasks1', args, context, info }, session.id, {
        read: (request, ids) => readTaskPages(context.database, { request, filter }, ids),
        position: ({ id }): [string] => [id],
      }),
  }),
)

const EventConnection = connectionOf<LogEntry>(SessionEventInterface, {
  name: 'SessionEvent',
  order: 'in the order of the log; the cursor of an event is its seq',
  paged: EVENT_PAGE,
})

builder.prismaObjectField(SessionType, 'events', (t) =>
  t.field({
    type: EventConnection,
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

interface SeqKey extends ChildKey {
  readonly seq: number
}

function withSeq(columns: PlainColumns | null): PlainColumns {
  return columns?.includes('seq') === true ? columns : [...(columns ?? ['id']), 'seq']
}

/** Greater than any seq, which has 31 bits. */
const NO_END = 2 ** 31

/**
 * Finds the pages of lists that are ordered by `seq` within a session: messages and turns.
 */
function readSeqPages<K extends 'messages1' | 'turns1'>(
  database: Database,
  page: {
    readonly table: 'messages' | 'turns'
    readonly request: PageRequest<K>
    readonly columns: PlainColumns | null
  },
  sessionIds: readonly string[],
): Promise<SeqKey[]> {
  const { table, request, columns } = page
  const order = request.fromEnd ? 'DESC' : 'ASC'
  const text = `
      SELECT parent.id AS parent_id, child.*
      FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
        SELECT ${selectList(withSeq(columns))} FROM ${table}
        WHERE session_id = parent.id AND seq > $2::int AND seq < $3::bigint
        ORDER BY seq ${order} LIMIT $4
      ) child
      ORDER BY child.seq ${order}`
  const [after, before] = [request.after?.[0] ?? -1, request.before?.[0] ?? NO_END]
  return database.query<SeqKey>({ name: database.nameOf(text), text }, [sessionIds, after, before, request.size + 1])
}
