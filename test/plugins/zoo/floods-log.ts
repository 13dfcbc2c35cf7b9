/** Logs as fast as it can, for a while. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'floods-log',
  version: '1.0.0',
  api: 1,
  title: 'floods-log',
  description: 'Logs as fast as it can, for a while.',
  hooks: {
    onMessage: (_message, ctx) => {
      for (let line = 0; line < 100_000; line += 1) ctx.log.info(`line ${line}`)
    },
  },
})
