/** Writes to stdout as fast as it can. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'floods-stdout',
  version: '1.0.0',
  api: 1,
  title: 'floods-stdout',
  description: 'Writes to stdout as fast as it can.',
  hooks: {
    onMessage: async () => {
      for (let line = 0; line < 100_000; line += 1) console.log('a line of stdout')
      const { promise, resolve } = Promise.withResolvers<unknown>()
      process.stdout.write(new TextEncoder().encode('the last line'), resolve)
      await promise
    },
  },
})
