/** A tool whose answer is as long as it is asked to be. */
import { definePlugin, z } from 'factotum/plugin'

export default definePlugin({
  name: 'lists',
  version: '1.0.0',
  api: 1,
  title: 'Lists',
  description: 'Lists things.',
  settings: z.object({}),
  tools: {
    names: {
      description: 'Names "n0", "n1" and so on, as JSON.',
      effect: 'READ',
      arguments: z.object({ count: z.int().min(1) }),
      run: ({ count }) => Array.from({ length: count }, (_, n) => `n${n}`),
    },
    fails: {
      description: 'Fails with many words.',
      arguments: z.object({}),
      run: () => {
        throw new Error('no '.repeat(300))
      },
    },
  },
})
