/** Tools that leave a mark. */
import { writeFile } from 'node:fs/promises'
import { definePlugin, z } from 'factotum/plugin'

export default definePlugin({
  name: 'marks',
  version: '1.0.0',
  api: 1,
  title: 'Marks',
  description: 'Leaves marks.',
  settings: z.object({}),
  tools: {
    mark: {
      description: 'Makes an empty file.',
      effect: 'WRITE',
      arguments: z.object({ path: z.string() }),
      run: async ({ path }) => {
        await writeFile(path, '')
        return 'Made.'
      },
    },
    'mark-when-stopped': {
      description: 'Makes an empty file when it is to stop, and never answers.',
      effect: 'READ',
      arguments: z.object({ path: z.string() }),
      run: async ({ path }, ctx) => {
        ctx.progress({ done: 1 })
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
        await writeFile(path, '')
        return new Promise<string>(() => {})
      },
    },
  },
})
