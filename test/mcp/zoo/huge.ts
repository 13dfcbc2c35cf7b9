/** Answers with 100 MB, with more than is kept, and with something nested 500 000 levels deep. */
import { serve, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('huge'), tool('large'), tool('deep')] }),
  'tools/call': ({ id, params }) => {
    if (params.name !== 'deep') return text('x'.repeat(params.name === 'huge' ? 100_000_000 : 5_000_000))
    const nested = '['.repeat(500_000) + ']'.repeat(500_000)
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${nested}}}\n`)
    return undefined
  },
})
