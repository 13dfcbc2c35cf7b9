/** Tells of progress without end, and never answers. */
import { say, serve, tool } from './speak.ts'

serve({
  'tools/list': () => ({ tools: [tool('spin')] }),
  'tools/call': ({ params }) => {
    const progressToken = params._meta?.progressToken
    let progress = 0
    const spin = (): void => {
      for (let times = 0; times < 1000; times += 1)
        say({
          method: 'notifications/progress',
          params: { progressToken, progress: ++progress, message: 'x'.repeat(1000) },
        })
      setImmediate(spin)
    }
    spin()
  },
})
