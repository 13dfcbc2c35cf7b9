/** Calls process.exit. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'exits',
  version: '1.0.0',
  api: 1,
  title: 'exits',
  description: 'Calls process.exit.',
  hooks: { onMessage: () => process.exit(0) },
})
