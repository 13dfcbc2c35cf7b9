/** Leaves a rejection to nobody. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'rejects-outside',
  version: '1.0.0',
  api: 1,
  title: 'rejects-outside',
  description: 'Leaves a rejection to nobody.',
  hooks: {
    onMessage: () => {
      void Promise.reject(new Error('nobody waits'))
      return new Promise(() => {})
    },
  },
})
