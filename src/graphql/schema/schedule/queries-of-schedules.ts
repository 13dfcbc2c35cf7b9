/** The query for schedules, and the subscription to what becomes of them. */
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { BEGINS } from '../list-update.ts'
import { fromFront } from '../paging/connection-type.ts'
import { matchable } from '../values/matchable.ts'
import { ScheduleRow } from './schedule.ts'
import { visibleSchedules } from './schedule-visibility.ts'

const ScheduleFilterInput = builder.inputType('ScheduleFilter', {
  description: 'Which schedules to list: those that match every field given.',
  fields: (t) => ({
    user: t.string({ description: 'Only those of this user.' }),
    enabled: t.boolean({ description: 'Only those that are enabled, or only those that are not.' }),
  }),
})

builder.queryField('schedules', (t) =>
  t.field({
    type: ScheduleRow.connection,
    authScopes: AUTHENTICATED,
    description: 'Your schedules, newest first; for admins, those of all users.',
    args: {
      ...fromFront(t),
      filter: t.arg({ type: ScheduleFilterInput, description: 'Which of them; all when left out.' }),
    },
    resolve: (_root, { filter, ...args }, context, info) => {
      const { user, enabled } = filter ?? {}
      return ScheduleRow.byId(
        { cursor: 'schedules1', args, context, info },
        {
          AND: [
            visibleSchedules(context.viewer),
            user == null ? {} : { userName: matchable(user) },
            enabled == null ? {} : { enabled },
          ],
        },
      )
    },
  }),
)

ScheduleRow.updates('scheduleUpdates', {
  authScopes: AUTHENTICATED,
  description:
    'Your schedules, for admins those of all users, when they are new, changed or deleted and when one fires or its run ' +
    `ends; at most four times a second each. ${BEGINS}`,
  follow: ({ scheduleNotifier, viewer }) => scheduleNotifier.follow(viewer),
})
