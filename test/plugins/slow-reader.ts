/** Says when it begins and ends a message; one that says "hang" it never ends. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'slow-reader',
  version: '1.0.0',
  api: 1,
  title: 'Slow reader',
  description: 'Takes its time.',
  hooks: {
    async onMessage({ text }, ctx) {
      ctx.log.info(`begins ${text}`)
      await new Promise((resolve) => (text === 'hang' ? null : setImmediate(resolve)))
      if (text === 'throw') throw new Error('no such page')
      ctx.log.info(`ends ${text}`)
    },
  },
})
