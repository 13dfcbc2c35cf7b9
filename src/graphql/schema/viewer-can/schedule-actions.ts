/** Schedule.viewerCan. */
import { scheduleEditor } from '../../../schedules/schedule-access.ts'
import { refuseTrigger } from '../../../schedules/trigger-schedule.ts'
import { reachesSchedule } from '../../../store/schedules/schedule-edit.ts'
import { builder } from '../builder.ts'
import { ScheduleType } from '../schedule/schedule.ts'
import { actionsType, VIEWER_CAN } from './actions-type.ts'

const ScheduleActions = actionsType('Schedule', {
  update: 'updateSchedule.',
  delete: 'deleteSchedule.',
  trigger: 'triggerSchedule. It runs once at a time.',
})

builder.prismaObjectField(ScheduleType, 'viewerCan', (t) =>
  t.field({
    type: ScheduleActions,
    description: VIEWER_CAN,
    select: { id: true, userName: true, runs: { where: { status: 'RUNNING' }, select: { id: true }, take: 1 } },
    resolve: (schedule, _args, { intake, viewer }) => {
      const isReached = reachesSchedule(scheduleEditor(intake, viewer), schedule)
      const [open] = schedule.runs
      const isTriggered = isReached && refuseTrigger(intake, schedule, open?.id ?? null) === null
      return { update: isReached, delete: isReached, trigger: isTriggered }
    },
  }),
)
