/** A message that the clock sends. Its runs are in schedule-run.ts; who sees it, in schedule-visibility.ts. */
import { row } from '../row.ts'
import { visibleSchedule } from './schedule-visibility.ts'
import type { ScheduleMode } from '../../../core/status.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { countedConnectionType } from '../paging/counted.ts'
import { NodeInterface } from '../node.ts'

export const ScheduleModeEnum = builder.enumType('ScheduleMode', {
  description: 'Into which session a schedule fires.',
  values: {
    DEDICATED: {
      description: 'All runs into one session, "schedule:<id of the schedule>": each knows what came before.',
    },
    FRESH: { description: 'Each run into a session of its own, "schedule:<id of the schedule>.<id of the run>".' },
  } as const satisfies Record<ScheduleMode, { readonly description: string }>,
})

export const ScheduleType = builder.prismaObject('Schedule', {
  description:
    'A message that the clock sends, as the user whose schedule it is, with the rights that the user has then. ' +
    'What was missed while no server ran comes to one run. One run of a schedule at a time.',
  authScopes: AUTHENTICATED,
  interfaces: [NodeInterface],
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Begins with "sched_".' }),
    user: t.exposeString('userName', { description: 'The name of the user whose it is, and as whom it runs.' }),
    name: t.exposeString('name', { description: 'A label for people.' }),
    content: t.exposeString('content', { description: 'What is sent.' }),
    cron: t.exposeString('cron', {
      nullable: true,
      description: 'When it fires, as a cron expression in its time zone; null for one that fires once.',
    }),
    runAt: t.expose('runAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it fires once; null for one with a cron expression.',
    }),
    timeZone: t.exposeString('timeZone', { description: 'Such as "Europe/Berlin"; the cron expression counts in it.' }),
    mode: t.expose('mode', { type: ScheduleModeEnum, description: 'Into which session it fires.' }),
    enabled: t.exposeBoolean('enabled', { description: 'False: it fires only when a person triggers it.' }),
    pausedReason: t.exposeString('pausedReason', {
      nullable: true,
      description:
        'Why the server took it out of use, because it could not go on; enable it again when that is mended.',
    }),
    nextRunAt: t.expose('nextRunAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When it fires next, a further try after a failure included; null when it is not enabled or has had its time.',
    }),
    failures: t.exposeInt('failures', {
      description:
        'How many runs in a row have failed. The first five are tried again, after 30 s, 1, 5, 15 and 60 minutes, or at ' +
        'a regular time that comes sooner; then it waits for its next regular time, an hour at least. Where it fires so ' +
        'often that the pauses would not grow, regular times before the next try are left out.',
    }),
    lastError: t.exposeString('lastError', {
      nullable: true,
      description: 'Why the last run did not end well; null when it did.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

export const ScheduleRow = row('Schedule', {
  kind: 'schedule',
  table: (prisma) => prisma.schedule,
  visible: ({ viewer }, id) => visibleSchedule(viewer, id),
  connection: countedConnectionType(ScheduleType, 'newest first'),
})
