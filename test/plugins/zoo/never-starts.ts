/** Is never ready. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'never-starts',
  version: '1.0.0',
  api: 1,
  title: 'never-starts',
  description: 'Is never ready.',
  start: () => new Promise(() => {}),
})
