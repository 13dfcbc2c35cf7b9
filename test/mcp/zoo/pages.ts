/** A list of tools that has no end. */
import { serve, tool } from './speak.ts'

serve({
  'tools/list': ({ params }) => {
    const page = Number(params.cursor ?? 0)
    return { tools: [tool(`t${page}`)], nextCursor: String(page + 1) }
  },
})
