/** Answers calls that were not made yet. */
import { say, serve, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('tell')] }),
  'tools/call': ({ id }) => {
    for (let next = 1; next <= 20; next += 1) say({ id: Number(id) + next, result: text('foreseen') })
    return text('asked')
  },
})
