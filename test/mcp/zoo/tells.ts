/** Tells its key in descriptions, progress, answers and errors. */
import { say, serve, text, tool } from './speak.ts'

const key = process.env['MCP_KEY'] ?? ''

serve({
  'tools/list': () => ({ tools: [tool('tell', { description: `It is ${key}.` }), tool('fail')] }),
  'tools/call': ({ params }) => {
    const progressToken = params._meta?.progressToken
    if (progressToken !== undefined)
      say({ method: 'notifications/progress', params: { progressToken, progress: 1, message: `told ${key}` } })
    process.stderr.write(`told ${key}\n`)
    return { ...text(`It is ${key}.`), isError: params.name === 'fail' }
  },
})
