/** Tools that show which calls of a conversation are made side by side. */
import { definePlugin, z } from 'factotum/plugin'

const waiting: (() => void)[] = []

export default definePlugin({
  name: 'meeting',
  version: '1.0.0',
  api: 1,
  title: 'Meeting',
  description: 'Brings calls together.',
  settings: z.object({}),
  tools: {
    meet: {
      description: 'Answers when it has been called twice.',
      effect: 'READ',
      arguments: z.object({}),
      run: () =>
        new Promise<string>((resolve) => {
          waiting.push(() => resolve('We have met.'))
          if (waiting.length === 2) for (const go of waiting.splice(0)) go()
        }),
    },
    look: { description: 'Looks.', effect: 'READ', arguments: z.object({}), run: () => 'Seen.' },
    change: { description: 'Changes something.', arguments: z.object({}), run: () => 'Changed.' },
  },
})
