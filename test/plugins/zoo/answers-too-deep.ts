/** Answers lists in lists in lists. */
import { definePlugin } from 'factotum/plugin'

export default definePlugin({
  name: 'answers-too-deep',
  version: '1.0.0',
  api: 1,
  title: 'answers-too-deep',
  description: 'Answers lists in lists in lists.',
  hooks: {
    onCommand: () => {
      let list: unknown[] = []
      for (let depth = 0; depth < 100_000; depth += 1) list = [list]
      return list as unknown as string
    },
  },
})
