/** When a cron expression would fire, for a form in which it is typed. */
import { firingsOf, type Firings } from '../../../schedules/firings-of.ts'
import { AUTHENTICATED } from '../access.ts'
import { builder } from '../builder.ts'
import { upTo } from '../paging/page-sizes.ts'

/** Enough to see the rhythm. */
const TIMES = 5

const CronFiringsType = builder.objectRef<Firings>('CronFirings').implement({
  description: 'When a cron expression fires, or what is wrong with it.',
  authScopes: AUTHENTICATED,
  fields: (t) => ({
    firesAt: t.expose('times', {
      type: ['DateTime'],
      extensions: upTo(TIMES, TIMES),
      description: `The next ${TIMES} times from now, the first one first; empty when there is a problem.`,
    }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'What is wrong with the expression or the time zone, for people; null: nothing.',
    }),
  }),
})

builder.queryField('cronFirings', (t) =>
  t.field({
    type: CronFiringsType,
    authScopes: AUTHENTICATED,
    description:
      'When a schedule with this cron expression would fire. Nothing is stored: for a form, while it is typed.',
    args: {
      cron: t.arg.string({ required: true, description: 'As in createSchedule.' }),
      timeZone: t.arg.string({ description: 'As in createSchedule; UTC when left out.' }),
    },
    resolve: (_root, { cron, timeZone }, { clock }) =>
      firingsOf({ cron, timeZone: timeZone ?? null, now: clock.now(), count: TIMES }),
  }),
)
