/** Ends in the middle of a call. */
import { serve, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('die'), tool('live')] }),
  'tools/call': ({ params }) => (params.name === 'die' ? process.exit(3) : text('alive')),
})
