/** Keeps memory that is not of its heap. */
import { definePlugin } from 'factotum/plugin'
const kept: Buffer[] = []
export default definePlugin({
  name: 'eats-buffers',
  version: '1.0.0',
  api: 1,
  title: 'eats-buffers',
  description: 'Keeps memory that is not of its heap.',
  hooks: {
    onMessage: async () => {
      for (;;) {
        kept.push(Buffer.alloc(1024 * 1024, 1))
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    },
  },
})
