/** Ends the process that it runs in. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'kills',
  version: '1.0.0',
  api: 1,
  title: 'kills',
  description: 'Ends the process that it runs in.',
  hooks: {
    onMessage: () => {
      process.kill(process.pid, 'SIGKILL')
    },
  },
})
