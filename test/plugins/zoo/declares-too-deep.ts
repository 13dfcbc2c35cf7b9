/** Its settings have lists in lists in lists for a default, as deep as its own thread can go. */
import { definePlugin, z } from 'factotum/plugin'

let list: unknown[] = []
for (let depth = 0; depth < 3000; depth += 1) list = [list]

export default definePlugin({
  name: 'declares-too-deep',
  version: '1.0.0',
  api: 1,
  title: 'declares-too-deep',
  description: 'Its settings have lists in lists in lists for a default.',
  settings: z.object({ lists: z.unknown().default(list) }),
})
