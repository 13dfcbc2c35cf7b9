/** Never comes to an end. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'never-stops',
  version: '1.0.0',
  api: 1,
  title: 'never-stops',
  description: 'Never comes to an end.',
  stop: () => new Promise(() => {}),
})
