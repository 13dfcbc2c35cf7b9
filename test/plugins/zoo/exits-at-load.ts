/** Calls process.exit before it has said what it is. */
import { definePlugin } from 'factotum/plugin'
process.exit(3)
export default definePlugin({
  name: 'exits-at-load',
  version: '1.0.0',
  api: 1,
  title: 'exits-at-load',
  description: 'Calls process.exit before it has said what it is.',
})
