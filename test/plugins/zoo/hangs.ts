/** Never answers, and lets others go on. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'hangs',
  version: '1.0.0',
  api: 1,
  title: 'hangs',
  description: 'Never answers, and lets others go on.',
  hooks: { onMessage: () => new Promise(() => {}) },
})
