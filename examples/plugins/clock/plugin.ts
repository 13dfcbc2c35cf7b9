/** Tells the planner what time it is somewhere, and brings a tool and a command for it. */
import { definePlugin, z } from 'factotum/plugin'

/** "Tuesday, 24 November 2026 at 01:40". */
function timeIn(zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }).format(new Date())
}

export default definePlugin({
  name: 'clock',
  version: '1.0.0',
  api: 1,
  title: 'Clock',
  description: 'Knows what time it is, in any time zone.',
  settings: z.object({
    zone: z.string().default('UTC').meta({ description: 'The time zone of people here, such as "Europe/Berlin".' }),
  }),
  hooks: {
    onBeforeInvoke: ({ sections }, ctx) => [
      ...sections,
      { title: 'The time', text: `It is ${timeIn(ctx.settings.zone)} in ${ctx.settings.zone}.` },
    ],
  },
  tools: {
    now: {
      description: 'What time it is in a time zone.',
      effect: 'READ',
      arguments: z.object({ zone: z.string().describe('Such as "Europe/Berlin".') }),
      run: ({ zone }) => timeIn(zone),
    },
  },
  commands: {
    time: { description: 'Says what time it is.', run: ({ args }, ctx) => timeIn(args.trim() || ctx.settings.zone) },
  },
  // A zone that there is none of is found now, and not in the middle of a turn.
  start: (ctx) => ctx.log.info(`it is ${timeIn(ctx.settings.zone)}`),
})
