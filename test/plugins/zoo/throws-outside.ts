/** Throws when nobody has called it. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'throws-outside',
  version: '1.0.0',
  api: 1,
  title: 'throws-outside',
  description: 'Throws when nobody has called it.',
  hooks: {
    onMessage: () => {
      setTimeout(() => {
        throw new Error('boom outside')
      })
      return new Promise(() => {})
    },
  },
})
