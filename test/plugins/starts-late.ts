/** Has a hook, and does not start while a file lies in the home. */
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'starts-late',
  version: '1.0.0',
  api: 1,
  title: 'Starts late',
  description: 'Takes its time.',
  start: async () => {
    while (existsSync(new URL('../../hold', import.meta.url))) await setTimeout(20)
  },
  hooks: { onMessage: () => undefined },
})
