/** A tool that leaves a mark. */
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
  },
})
