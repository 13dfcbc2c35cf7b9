/** Records what is nested so deeply that the server could keep it, and nothing that goes through it later could. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'asks-too-deep',
  version: '1.0.0',
  api: 1,
  title: 'asks-too-deep',
  description: 'Records lists in lists in lists.',
  hooks: {
    onCommand: async ({ sessionId }, ctx) => {
      let list: unknown[] = []
      for (let depth = 0; depth < 1000; depth += 1) list = [list]
      return ctx.record({ sessionId, name: 'deep', data: list as never }).then(
        () => 'recorded',
        (error: unknown) => String(error),
      )
    },
  },
})
