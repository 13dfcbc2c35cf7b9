/** Prints what is no message, and answers with what is no answer. */
import { say, serve, text, tool } from './speak.ts'

process.stdout.write('Welcome to my server!\n{"half": \n\0\u{1F600}\n[1,2,3]\n')
serve({
  'tools/list': () => ({ tools: [tool('chatty'), tool('odd'), tool('mute'), 17, { name: 'bare' }] }),
  'tools/call': ({ id, params }) => {
    process.stdout.write('calling...\n{"jsonrpc":"2.0","id":"nobody","result":{}}\n')
    if (params.name === 'odd') return { content: 17 }
    if (params.name === 'mute') return process.stdout.write('{"jsonrpc": broken\n') ? undefined : undefined
    say({ id, result: text('said\0 \ud800 between') })
    return undefined
  },
})
