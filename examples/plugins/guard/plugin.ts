/** Has tasks planned anew whose output looks as if something was thrown away, and counts how often. */
import { definePlugin, z } from 'factotum/plugin'

export default definePlugin({
  name: 'guard',
  version: '1.0.0',
  api: 1,
  title: 'Guard',
  description: 'Rejects what tasks did when their command or output has one of the words that it watches for.',
  settings: z.object({
    words: z
      .array(z.string().min(1))
      .default(['rm -rf', 'DROP TABLE'])
      .meta({ description: 'What it watches for; capitals count.' }),
  }),
  hooks: {
    async onTaskComplete(task, ctx) {
      const text = `${task.what}\n${task.output ?? ''}`
      const word = ctx.settings.words.find((one) => text.includes(one))
      if (word === undefined) return undefined
      const count = Number((await ctx.state.get('rejected')) ?? 0) + 1
      await ctx.state.set('rejected', count)
      ctx.log.warn('a task was rejected', { taskId: task.taskId, word, count })
      return { reject: `The guard does not allow "${word}": find another way, or say that there is none.` }
    },
  },
})
