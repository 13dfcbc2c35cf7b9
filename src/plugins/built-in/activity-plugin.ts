/** The built-in plugin `activity`: what models thought and how far tools were stays in the log for a time. */
import type { Clock } from '../../platform/clock.ts'
import { definePlugin, z, type PluginContext, type PluginDefinition } from '../../plugin-api/plugin.ts'

const HOUR_MS = 3_600_000

const settings = z.object({
  days: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .meta({ description: 'So long they are kept. Calls of tools and their results are tasks, and stay.' }),
})
type Settings = z.output<typeof settings>

/** Off: they are streamed, and leave the log when their turn ends. */
export function activityPlugin(clock: Clock): PluginDefinition<typeof settings> {
  return definePlugin({
    name: 'activity',
    version: '1.0.0',
    api: 1,
    title: 'Activity',
    description: "Keeps the thinking of models and the progress of tools in the session's log, for a limited time.",
    keeps: ['thinking', 'task_progress'],
    settings,
    start: (ctx) => void forgetHourly(ctx, clock),
  })
}

/** Until the plugin ends; never rejects. */
async function forgetHourly(ctx: PluginContext<Settings>, clock: Clock): Promise<void> {
  while (!ctx.signal.aborted) {
    const { days } = ctx.settings
    await ctx.forget({ thanDays: days }).then(
      (events) => (events > 0 ? ctx.log.info('the oldest thoughts and progress were removed', { events, days }) : null),
      (error: unknown) =>
        ctx.log.warn('old thoughts could not be removed; retrying in an hour', { error: String(error) }),
    )
    await clock.sleep(HOUR_MS, ctx.signal)
  }
}
