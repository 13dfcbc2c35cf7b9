/** Looks for keys in the environment. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'reads-environment',
  version: '1.0.0',
  api: 1,
  title: 'reads-environment',
  description: 'Looks for keys in the environment.',
  hooks: { onCommand: () => JSON.stringify(Object.keys(process.env)) },
})
