/** Says again and again that its tools have changed; one of them cannot be offered, and is another one after a call. */
import { say, serve, text, tool } from './speak.ts'

let bad = 'no name'
let listed = 0
serve({
  'tools/list': () => {
    listed += 1
    say({ method: 'notifications/tools/list_changed' })
    return { tools: [tool('listed'), tool('change'), tool(bad)] }
  },
  'tools/call': ({ params }) => {
    if (params.name === 'change') bad = 'another bad name'
    return text(String(listed))
  },
})
