/** The query for schedules, and the subscription to what becomes of them. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { BEGINS, ENTRY, listUpdate } from '../list-update.ts'
import { PAGING } from '../paging/connection-type.ts'
import { MAX_COUNTED } from '../paging/counted.ts'
import { matchable } from '../values/matchable.ts'
import { readPageRequest } from '../paging/page-request.ts'
import { PAGES } from '../paging/page-sizes.ts'
import { toPage } from '../paging/page.ts'
import { ScheduleConnection } from './schedule.ts'
import { visibleSchedule, visibleSchedules } from './schedule-visibility.ts'
import { selectNodes } from '../paging/select-nodes.ts'

const ScheduleFilterInput = builder.inputType('ScheduleFilter', {
  description: 'Which schedules to list: those that match every field given.',
  fields: (t) => ({
    user: t.string({ description: 'Only those of this user.' }),
    enabled: t.boolean({ description: 'Only those that are enabled, or only those that are not.' }),
  }),
})

builder.queryField('schedules', (t) =>
  t.field({
    type: ScheduleConnection,
    authScopes: AUTHENTICATED,
    description: 'Your schedules, newest first; for admins, those of all users.',
    extensions: PAGES,
    args: {
      first: t.arg.int({ description: PAGING.first }),
      after: t.arg.string({ description: PAGING.after }),
      filter: t.arg({ type: ScheduleFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: async (_root, { filter, ...args }, context, info) => {
      const request = readPageRequest('schedules1', args, info)
      const { user, enabled } = filter ?? {}
      const { schedule } = context.database.prisma
      const where = {
        AND: [
          visibleSchedules(context.viewer),
          user == null ? {} : { userName: matchable(user) },
          enabled == null ? {} : { enabled },
        ],
      }
      const rows = await schedule.findMany({
        ...selectNodes({ context, info }, 'Schedule', { id: true }),
        where: { AND: [where, request.after === null ? {} : { id: { lt: request.after[0] } }] },
        orderBy: { id: 'desc' },
        take: request.size + 1,
      })
      const placed = rows.map((node) => ({ node, position: [node.id] as [string] }))
      const totalCount = () => schedule.count({ where, take: MAX_COUNTED })
      return { ...toPage('schedules1', request, placed), totalCount }
    },
  }),
)

const ScheduleUpdate = listUpdate('Schedule')
builder.objectField(ScheduleUpdate, 'schedule', (t) =>
  t.prismaField({
    type: 'Schedule',
    nullable: true,
    description: ENTRY,
    resolve: (query, { id }, _args, { database, viewer }) =>
      id === null ? null : database.prisma.schedule.findFirst({ ...query, where: visibleSchedule(viewer, id) }),
  }),
)

builder.subscriptionField('scheduleUpdates', (t) =>
  t.field({
    type: ScheduleUpdate,
    authScopes: AUTHENTICATED,
    description:
      'Your schedules, for admins those of all users, when they are new, changed or deleted and when one fires or its run ' +
      `ends; at most four times a second each. ${BEGINS}`,
    subscribe: (_root, _args, context) => context.scheduleNotifier.follow(context.viewer),
    resolve: (change) => change,
  }),
)
