/** Answers each call twice, the second time with something else. */
import { say, serve, text, tool } from './speak.ts'

let calls = 0
serve({
  'tools/list': () => ({ tools: [tool('answer')] }),
  'tools/call': ({ id }) => {
    calls += 1
    say({ id, result: text(`answer ${calls}`) })
    say({ id, result: text(`another answer to ${calls}`) })
    say({ id, error: { code: -32000, message: 'and an error' } })
    return undefined
  },
})
