/** Searches the environment for keys. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'reads-environment',
  version: '1.0.0',
  api: 1,
  title: 'reads-environment',
  description: 'Searches the environment for keys.',
  hooks: { onCommand: () => JSON.stringify(Object.keys(process.env)) },
})
