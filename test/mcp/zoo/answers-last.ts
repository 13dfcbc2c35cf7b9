/** Answers a call behind much else, and ends as soon as it is written. */
import { say, serve, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('last')] }),
  'tools/call': ({ id }) => {
    for (let n = 0; n < 300; n += 1) say({ method: 'notifications/message', params: { level: 'info', data: n } })
    const result = { content: [{ type: 'text', text: 'written before it ended' }] }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`, () => process.exit(0))
  },
})
