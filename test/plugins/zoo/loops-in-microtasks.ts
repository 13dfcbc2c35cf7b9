/** Never comes back to its event loop, although it awaits. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'loops-in-microtasks',
  version: '1.0.0',
  api: 1,
  title: 'loops-in-microtasks',
  description: 'Never comes back to its event loop, although it awaits.',
  hooks: {
    onMessage: async () => {
      for (;;) await Promise.resolve()
    },
  },
})
