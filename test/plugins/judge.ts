/** Rejects what a task came to, but not when it is asked first: then it gives no answer at all. */
import { definePlugin, z } from 'factotum/plugin'

export default definePlugin({
  name: 'judge',
  version: '1.0.0',
  api: 1,
  title: 'Judge',
  description: 'Rejects.',
  hooks: {
    async onTaskComplete({ taskId, sessionId }, ctx) {
      const asked = await ctx.state.get(taskId)
      await ctx.state.set(taskId, { sessionId })
      return asked === null ? new Promise<never>(() => {}) : { reject: 'It must not be used.' }
    },
  },
  tools: {
    greet: { description: 'Greets.', effect: 'READ', arguments: z.object({}), run: () => 'Hello!' },
  },
})
