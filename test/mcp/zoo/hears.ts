/** Answers with what came beside the arguments: `_meta`, but for the token of its progress. */
import { serve, text, type Asked } from './speak.ts'

serve({
  'tools/call': ({ params }: Asked) => {
    const { progressToken: _, ...meta } = params._meta ?? {}
    return text(JSON.stringify(meta))
  },
})
