/** Says that it is being loaded, by the file "loading" beside it, and never is. */
import { writeFileSync } from 'node:fs'
import { definePlugin } from 'factotum/plugin'

writeFileSync(new URL('loading', import.meta.url), '')
await new Promise(() => setInterval(() => {}, 1000))

export default definePlugin({
  name: 'endless',
  version: '1.0.0',
  api: 1,
  title: 'Endless',
  description: 'Never there.',
})
