/** A command for models, and a tool that asks another plugin's. */
import { definePlugin, z } from 'factotum/plugin'

const tool = z.object({ name: z.string(), args: z.record(z.string(), z.json()).default({}) })

export default definePlugin({
  name: 'notes',
  version: '1.0.0',
  api: 1,
  title: 'Notes',
  description: 'Notes things.',
  settings: z.object({}),
  commands: {
    note: {
      description: 'Notes its arguments.',
      fromModel: true,
      async run({ args, from, user }, ctx) {
        const count = Number((await ctx.state.get('count')) ?? 0) + 1
        await ctx.state.set('count', count)
        return `Noted ${args} for ${user}, ${from}, number ${count}.`
      },
    },
  },
  tools: {
    ask: {
      description: 'Asks another tool.',
      effect: 'READ',
      arguments: tool,
      run: async (call, ctx) => JSON.stringify(await ctx.runTool(call)),
    },
  },
})
