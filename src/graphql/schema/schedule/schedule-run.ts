/**
 * The runs of schedules: what each firing came to, in which session. A session that the viewer may not see is null
 * here, too.
 */
import { row } from '../row.ts'
import { visibleScheduleRun } from './schedule-visibility.ts'
import { queryFromInfo } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { ScheduleRunStatus } from '../../../core/status.ts'
import type { Database } from '../../../store/database.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { connectionType, fromFront } from '../paging/connection-type.ts'
import { loadAt } from '../paging/load-at.ts'
import { type ChildKey } from '../paging/load-nested-pages.ts'
import { NodeInterface } from '../node.ts'
import { type PageRequest } from '../paging/page-request.ts'
import { ScheduleType } from './schedule.ts'
import { SessionType } from '../session/session.ts'
import { visibleSessions } from '../session/session-visibility.ts'
import { TurnType } from '../turn/turn.ts'

const ScheduleRunStatusEnum = builder.enumType('ScheduleRunStatus', {
  description: 'What became of a firing.',
  values: {
    RUNNING: { description: 'Its turn has not ended: it waits, runs, or waits for an approval.' },
    DONE: { description: 'Its turn ended well.' },
    FAILED: { description: 'Its turn failed or was cancelled, or its message could not be sent; failure says why.' },
    SKIPPED: {
      description:
        'It was due while the run before it had not ended, was a further try of what a user had tried again with ' +
        'success, or could not go on; failure says why.',
    },
  } as const satisfies Record<ScheduleRunStatus, { readonly description: string }>,
})

const ScheduleRunType = builder.prismaObject('ScheduleRun', {
  description: 'One firing of a schedule. The newest 1000 of a schedule are kept.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "run_".' }),
    schedule: t.relation('schedule', { description: 'The schedule that fired.' }),
    status: t.expose('status', { type: ScheduleRunStatusEnum, description: 'What became of it.' }),
    triggered: t.exposeBoolean('manual', { description: 'True: a person triggered it; false: the clock did.' }),
    dueAt: t.expose('dueAt', { type: 'DateTime', description: 'When it was due; of several missed times, the first.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it fired.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When its turn ended; null while RUNNING.',
    }),
    failure: t.exposeString('failure', {
      nullable: true,
      description: 'Why it is FAILED or SKIPPED, for people; null otherwise.',
    }),
    session: t.field({
      type: SessionType,
      nullable: true,
      description: 'The session it fired into; null when there is none that you may see.',
      select: { sessionId: true },
      resolve: async ({ sessionId }, _args, context, info) => {
        if (sessionId === null) return null
        const { viewer, database } = context
        const query = selectRow({ context, info }, 'Session', { id: true })
        const found = await loadAt({ context, info }, sessionId, async (ids) => {
          const where = { AND: [{ id: { in: [...ids] } }, visibleSessions(viewer)] }
          const rows = await database.prisma.session.findMany({ ...query, where })
          return new Map(rows.map((row) => [row.id, row]))
        })
        return found ?? null
      },
    }),
    turn: t.field({
      type: TurnType,
      nullable: true,
      description: 'The turn it came to; null when there is none that you may see.',
      select: { messageId: true },
      resolve: async ({ messageId }, _args, context, info) => {
        if (messageId === null) return null
        const { viewer, database } = context
        const query = selectRow({ context, info }, 'Turn', { id: true, messageId: true })
        const found = await loadAt({ context, info }, messageId, async (ids) => {
          const where = { messageId: { in: [...ids] }, session: visibleSessions(viewer) }
          const rows = await database.prisma.turn.findMany({ ...query, where })
          return new Map(rows.map((row) => [row.messageId, row]))
        })
        return found ?? null
      },
    }),
  }),
})

export const ScheduleRunRow = row('ScheduleRun', {
  kind: 'scheduleRun',
  table: (prisma) => prisma.scheduleRun,
  visible: ({ viewer }, id) => visibleScheduleRun(viewer, id),
  connection: connectionType(ScheduleRunType, 'newest first'),
})

builder.prismaObjectField(ScheduleType, 'runs', (t) =>
  t.field({
    type: ScheduleRunRow.connection,
    description: 'Its runs, newest first.',
    args: {
      ...fromFront(t),
      status: t.arg({
        type: [ScheduleRunStatusEnum],
        description: 'Only those in one of these states; all when left out.',
      }),
    },
    select: { id: true },
    resolve: (schedule, { status, ...args }, context, info) =>
      ScheduleRunRow.below({ cursor: 'scheduleRuns1', args, context, info }, schedule.id, {
        read: (request, ids) => readRunPages(context.database, { request, status: status ?? [] }, ids),
        position: ({ id }): [string] => [id],
      }),
  }),
)

builder.prismaObjectField(ScheduleType, 'lastRun', (t) =>
  t.field({
    type: ScheduleRunType,
    nullable: true,
    description: 'Its newest run; null until there is one.',
    select: { id: true },
    resolve: async (schedule, _args, context, info) => {
      const { database } = context
      const query = selectRow({ context, info }, 'ScheduleRun', { id: true, scheduleId: true })
      const found = await loadAt({ context, info }, schedule.id, async (scheduleIds) => {
        const keys = await readRunPages(database, { request: { size: 0, after: null }, status: [] }, scheduleIds)
        const where = { id: { in: keys.map(({ id }) => id) } }
        const rows = await database.prisma.scheduleRun.findMany({
          ...query,
          where,
        })
        return new Map(rows.map((row) => [row.scheduleId, row]))
      })
      return found ?? null
    },
  }),
)

/** What Prisma is to load of the row that a field returns: what the document selects, and `columns`. */
function selectRow<Columns extends { readonly id: true }>(
  place: { readonly context: object; readonly info: GraphQLResolveInfo },
  typeName: string,
  columns: Columns,
): { select: Columns } {
  // All types select by column (`select` in their prismaObject), so there is never an `include`.
  return queryFromInfo({ ...place, typeName, select: columns }) as { select: Columns }
}

interface RunPages {
  readonly request: Pick<PageRequest<'scheduleRuns1'>, 'size' | 'after'>
  /** Empty: in whatever state. */
  readonly status: readonly ScheduleRunStatus[]
}

/** The ids of a page of each schedule's runs, and one more, newest first. */
function readRunPages(
  database: Database,
  { request, status }: RunPages,
  scheduleIds: readonly string[],
): Promise<ChildKey[]> {
  const after = request.after?.[0] ?? null
  const statement = {
    name: after === null ? 'page-of-schedule-runs' : 'page-of-schedule-runs-after',
    text: `
      SELECT parent.id AS parent_id, child.id
      FROM unnest($1::text[]) AS parent (id) CROSS JOIN LATERAL (
        SELECT id FROM schedule_runs
        WHERE schedule_id = parent.id AND ($3::text[] IS NULL OR status::text = ANY ($3))
          ${after === null ? '' : 'AND id < $4::text'}
        ORDER BY id DESC LIMIT $2
      ) child
      ORDER BY child.id DESC`,
  }
  const values = [scheduleIds, request.size + 1, status.length === 0 ? null : status]
  return database.query<ChildKey>(statement, after === null ? values : [...values, after])
}
