/** Loops for ever. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'loops',
  version: '1.0.0',
  api: 1,
  title: 'loops',
  description: 'Loops for ever.',
  hooks: {
    onMessage: () => {
      for (;;);
    },
  },
})
