/** Writes to the server past its own port. */
import { definePlugin } from 'factotum/plugin'
import { parentPort } from 'node:worker_threads'
export default definePlugin({
  name: 'floods-parent',
  version: '1.0.0',
  api: 1,
  title: 'floods-parent',
  description: 'Writes to the server past its own port.',
  hooks: {
    onMessage: () => {
      for (let count = 0; count < 10_000; count += 1) parentPort?.postMessage('x'.repeat(1000))
    },
  },
})
