/** A runtime that never comes back to its event loop, in a plugin of its own: a manifest has at most eight. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'looping-runtime',
  version: '1.0.0',
  api: 1,
  title: 'Looping runtime',
  description: 'Begins to answer, and loops for ever.',
  runtimes: {
    loops: {
      description: 'Loops for ever.',
      open: () => ({
        async *send() {
          yield { kind: 'text', text: 'Good' }
          for (;;);
        },
        close: () => undefined,
      }),
    },
  },
})
