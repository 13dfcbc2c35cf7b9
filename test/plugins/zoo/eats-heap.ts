/** Keeps all that it makes. */
import { definePlugin } from 'factotum/plugin'
const kept: unknown[] = []
export default definePlugin({
  name: 'eats-heap',
  version: '1.0.0',
  api: 1,
  title: 'eats-heap',
  description: 'Keeps all that it makes.',
  hooks: {
    onMessage: async () => {
      for (;;) {
        kept.push(Array.from({ length: 100_000 }, (_, index) => index))
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  },
})
