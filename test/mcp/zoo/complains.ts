/** Refuses calls with reasons that are too long, or say that they are none. */
import { say, serve, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('long'), tool('odd'), tool('own')] }),
  'tools/call': ({ id, params }) => {
    if (params.name === 'own') return { ...text('y'.repeat(2_000_000)), isError: true }
    const error = { code: -32000, message: 'x'.repeat(5_000_000), data: { deep: [[[[]]]] } }
    say({ id, error: params.name === 'long' ? error : { code: 'many', message: null } })
    return undefined
  },
})
