/** Reads nothing any more once it has listed its tools. */
import { serve, tool } from './speak.ts'

serve({
  'tools/list': () => {
    setImmediate(() => process.stdin.pause())
    return { tools: [tool('hear')] }
  },
  'tools/call': () => undefined,
})
setInterval(() => undefined, 1000)
