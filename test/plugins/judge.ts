/**
 * Rejects what a task came to, but not when it is asked first: then it gives no answer at all. In sessions whose id
 * says so, the same with its section of a prompt.
 */
import { definePlugin, z, type PluginContext } from 'factotum/plugin'

async function isFirst(ctx: PluginContext<unknown>, key: string, sessionId: string): Promise<boolean> {
  const asked = await ctx.state.get(key)
  await ctx.state.set(key, { sessionId })
  return asked === null
}

const never = new Promise<never>(() => {})

export default definePlugin({
  name: 'judge',
  version: '1.0.0',
  api: 1,
  title: 'Judge',
  description: 'Rejects.',
  hooks: {
    async onBeforeInvoke({ sessionId, turnId, sections }, ctx) {
      if (!sessionId.startsWith('web:asked')) return sections
      if (await isFirst(ctx, turnId, sessionId)) return never
      return [...sections, { title: 'The law', text: 'The judge has said so.' }]
    },
    async onTaskComplete({ taskId, sessionId }, ctx) {
      return (await isFirst(ctx, taskId, sessionId)) ? never : { reject: 'It must not be used.' }
    },
  },
  tools: {
    greet: { description: 'Greets.', effect: 'READ', arguments: z.object({}), run: () => 'Hello!' },
  },
})
