/** What can be done with a schedule that is there. */
import { useChange } from '../../data/use-change.ts'
import {
  DeleteScheduleDocument,
  ScheduleRunsDocument,
  SchedulesDocument,
  TriggerScheduleDocument,
  UpdateScheduleDocument,
  type ScheduleRowFragment,
} from '../../generated/graphql.ts'
import { notify } from '../../ui/feedback/toasts.ts'

export interface ScheduleChanges {
  readonly pause: (schedule: ScheduleRowFragment) => Promise<void>
  readonly trigger: (schedule: ScheduleRowFragment) => Promise<void>
  /** Whether it is gone. */
  readonly remove: (schedule: ScheduleRowFragment) => Promise<boolean>
}

const LISTS = [SchedulesDocument, ScheduleRunsDocument]

export function useScheduleChanges(): ScheduleChanges {
  const update = useChange(UpdateScheduleDocument, (data) => data.updateSchedule, LISTS)
  const trigger = useChange(TriggerScheduleDocument, (data) => data.triggerSchedule, LISTS)
  const remove = useChange(DeleteScheduleDocument, (data) => data.deleteSchedule, [SchedulesDocument])
  return {
    pause: async ({ id, enabled }) => {
      await update.send({ input: { id, enabled: !enabled } })
    },
    trigger: async ({ id, name }) => {
      if ((await trigger.send({ id })) !== null) notify({ tone: 'good', text: `“${name}” was triggered.` })
    },
    remove: async ({ id }) => (await remove.send({ id })) !== null,
  }
}
