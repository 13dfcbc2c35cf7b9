/** Mutations of schedules, as clients see them. The rules are in src/schedules. */
import { createSchedule, MAX_SCHEDULES } from '../../../schedules/create-schedule.ts'
import { deleteSchedule, type ScheduleDeleted } from '../../../schedules/delete-schedule.ts'
import type { ScheduleChanged } from '../../../schedules/schedule-access.ts'
import { triggerSchedule, type ScheduleTriggered } from '../../../schedules/trigger-schedule.ts'
import { updateSchedule } from '../../../schedules/update-schedule.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { resultUnion } from '../result-union.ts'
import { ScheduleModeEnum, ScheduleRow } from './schedule.ts'
import { ScheduleRunRow } from './schedule-run.ts'

/** What `name` comes to, which is a type of its own: clients can tell results apart by it, and each may grow alone. */
function scheduleResult(name: string) {
  const payload = builder.objectRef<ScheduleChanged>(`${name}Payload`).implement({
    description: 'The schedule is as asked.',
    authScopes: AUTHENTICATED,
    fields: (t) => ({ schedule: ScheduleRow.field(t, ({ scheduleId }) => scheduleId, 'The schedule as it is now.') }),
  })
  return resultUnion(name, payload)
}

const CRON =
  'Five fields: minute, hour, day of the month, month, day of the week, such as "0 9 * * MON-FRI"; "L" is the last day of the ' +
  'month. Where neither day is "*", one of them is enough. A time of day that daylight saving skips fires right after ' +
  'the gap, one that comes twice fires once; with "*" or a step in minute or hour it goes by the clock: what is ' +
  'skipped does not fire, what comes twice fires twice.'

const CreateScheduleInput = builder.inputType('CreateScheduleInput', {
  description: 'What to send, and when: either "cron" or "runAt".',
  fields: (t) => ({
    name: t.string({ required: true, description: 'A label for people, 1 to 255 characters.' }),
    content: t.string({ required: true, description: 'What to send: 1 byte to 256 KiB of text.' }),
    cron: t.string({ description: CRON }),
    runAt: t.field({ type: 'DateTime', description: 'Fires once, then; in the future.' }),
    timeZone: t.string({
      description: 'In which the cron expression counts, such as "Europe/Berlin"; UTC when left out.',
    }),
    mode: t.field({ type: ScheduleModeEnum, description: 'Into which session it fires; DEDICATED when left out.' }),
    enabled: t.boolean({ description: 'False: it fires only when triggered; true when left out.' }),
  }),
})

builder.mutationField('createSchedule', (t) =>
  t.field({
    type: scheduleResult('CreateSchedule'),
    authScopes: AUTHENTICATED,
    description: `Has a message sent by the clock, as you. A user has at most ${MAX_SCHEDULES} schedules; connectors have none.`,
    args: { input: t.arg({ type: CreateScheduleInput, required: true, description: 'The schedule.' }) },
    resolve: (_root, { input }, { intake, viewer }) => createSchedule(intake, viewer, input),
  }),
)

const UpdateScheduleInput = builder.inputType('UpdateScheduleInput', {
  description:
    'What to change of a schedule; what is left out or null stays. With a new time, or enabled again, it counts from now and ' +
    'its failures are forgotten.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The schedule.' }),
    name: t.string({ description: 'A label for people, 1 to 255 characters.' }),
    content: t.string({ description: 'What to send: 1 byte to 256 KiB of text.' }),
    cron: t.string({ description: `In place of a single time. ${CRON}` }),
    runAt: t.field({
      type: 'DateTime',
      description: 'In place of a cron expression: fires once, then; in the future.',
    }),
    timeZone: t.string({ description: 'In which the cron expression counts.' }),
    mode: t.field({ type: ScheduleModeEnum, description: 'Into which session it fires from now on.' }),
    enabled: t.boolean({ description: 'Whether it fires by itself.' }),
  }),
})

builder.mutationField('updateSchedule', (t) =>
  t.field({
    type: scheduleResult('UpdateSchedule'),
    authScopes: AUTHENTICATED,
    description: 'Changes a schedule of yours; admins, of anybody. It stays that of its user.',
    args: {
      input: t.arg({ type: UpdateScheduleInput, required: true, description: 'The schedule, and what to change.' }),
    },
    resolve: (_root, { input }, { intake, viewer }) => updateSchedule(intake, viewer, input),
  }),
)

const DeleteSchedulePayload = builder.objectRef<ScheduleDeleted>('DeleteSchedulePayload').implement({
  description: 'The schedule is gone, with the record of its runs. What it had begun goes on, and its sessions stay.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({ deletedScheduleId: t.exposeID('scheduleId', { description: 'The id it had.' }) }),
})

const DeleteScheduleInput = builder.inputType('DeleteScheduleInput', {
  description: 'The schedule to delete.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The schedule.' }) }),
})

builder.mutationField('deleteSchedule', (t) =>
  t.field({
    type: resultUnion('DeleteSchedule', DeleteSchedulePayload),
    authScopes: AUTHENTICATED,
    description: 'Deletes a schedule of yours; admins, of anybody.',
    args: { input: t.arg({ type: DeleteScheduleInput, required: true, description: 'The schedule.' }) },
    resolve: (_root, { input: { id } }, { intake, viewer }) => deleteSchedule(intake, viewer, id),
  }),
)

const TriggerSchedulePayload = builder.objectRef<ScheduleTriggered>('TriggerSchedulePayload').implement({
  description: 'The schedule has fired.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    schedule: ScheduleRow.field(t, ({ scheduleId }) => scheduleId, 'The schedule as it is now.'),
    run: ScheduleRunRow.field(t, ({ runId }) => runId, 'The run as it is now.'),
  }),
})

const TriggerScheduleInput = builder.inputType('TriggerScheduleInput', {
  description: 'The schedule to run now.',
  fields: (t) => ({ id: t.id({ required: true, description: 'The schedule.' }) }),
})

builder.mutationField('triggerSchedule', (t) =>
  t.field({
    type: resultUnion('TriggerSchedule', TriggerSchedulePayload),
    authScopes: AUTHENTICATED,
    description:
      'Has a schedule of yours run now, enabled or not; admins, of anybody. Its plan stays, but when the run ends well, ' +
      'no further try of a failed one follows. Refused while a run of it has not ended.',
    args: { input: t.arg({ type: TriggerScheduleInput, required: true, description: 'The schedule.' }) },
    resolve: (_root, { input: { id } }, { intake, viewer }) => triggerSchedule(intake, viewer, id),
  }),
)
