/** Ends its thread the first time that it is given the end of a turn; its command takes long. */
import { definePlugin, z } from 'factotum/plugin'

export default definePlugin({
  name: 'frail',
  version: '1.0.0',
  api: 1,
  title: 'Frail',
  description: 'Does not live long.',
  settings: z.object({}),
  hooks: {
    async onBeforeInvoke({ sessionId, sections }, ctx) {
      await ctx.state.set(`asked ${sessionId} ${Math.random()}`, true)
      return [...sections, { title: 'Drawn', text: `The number ${Math.random()}.` }]
    },
    async onPipelineComplete({ sessionId, status }, ctx) {
      await ctx.state.set(`given ${sessionId} ${Math.random()}`, status)
      if ((await ctx.state.get('died of')) !== null) return
      await ctx.state.set('died of', sessionId)
      process.exit(1)
    },
  },
  commands: {
    slow: {
      description: 'Takes long.',
      async run(_command, ctx) {
        await ctx.state.set(`slow ${Math.random()}`, true)
        await new Promise((resolve) => setTimeout(resolve, 25_000))
        return true
      },
    },
  },
})
