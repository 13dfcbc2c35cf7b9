/** Never answers a call, not even that it was cancelled; and does not end when its input does. */
import { serve, tool } from './speak.ts'

setInterval(() => {}, 1000)
process.on('SIGTERM', () => {})
serve({ 'tools/list': () => ({ tools: [tool('wait')] }), 'tools/call': () => undefined })
