/** Names that others have, or that models cannot use. */
import { serve, text, tool } from './speak.ts'

const names = ['exec', 'exec', 'skills__exec', '__proto__', 'constructor', 'a.b', '../x', '', 'x'.repeat(60), 'msg\n']
serve({
  'tools/list': () => ({ tools: names.map((name) => tool(name)) }),
  'tools/call': ({ params }) => text(`called ${params.name}`),
})
