/** Answers with 100 MB; in one message, and in many parts. */
import { serve, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('huge'), tool('large')] }),
  'tools/call': ({ params }) => text('x'.repeat(params.name === 'huge' ? 100_000_000 : 5_000_000)),
})
