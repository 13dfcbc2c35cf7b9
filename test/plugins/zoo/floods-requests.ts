/** Asks for more than it waits for. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'floods-requests',
  version: '1.0.0',
  api: 1,
  title: 'floods-requests',
  description: 'Asks for more than it waits for.',
  hooks: {
    onCommand: async (_command, ctx) => {
      const asked = await Promise.allSettled(Array.from({ length: 1000 }, () => ctx.state.get('key')))
      return String(asked.filter(({ status }) => status === 'rejected').length)
    },
  },
})
