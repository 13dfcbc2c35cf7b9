/** Throws in its hook. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'throws',
  version: '1.0.0',
  api: 1,
  title: 'throws',
  description: 'Throws in its hook.',
  hooks: {
    onMessage: () => {
      throw new Error('boom')
    },
  },
})
