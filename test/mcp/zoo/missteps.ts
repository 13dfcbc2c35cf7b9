/** Tells of progress in values that are none, backwards, and of calls of others. */
import { say, serve, text, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('walk')] }),
  'tools/call': ({ id, params }) => {
    const progressToken = params._meta?.progressToken
    const steps: object[] = [
      { progressToken, progress: 'half', total: 1 },
      { progressToken, progress: null },
      { progressToken, progress: 3, total: 2, message: 17 },
      { progressToken: 'nobody', progress: 1 },
      { progress: 1 },
      { progressToken, progress: 5, total: 2, message: 'forward\0' },
      { progressToken, progress: -1e308, total: -5 },
    ]
    for (const step of steps) say({ method: 'notifications/progress', params: step })
    setTimeout(() => say({ id, result: text('walked') }), 300)
    return undefined
  },
})
