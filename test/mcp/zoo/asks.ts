/** Asks its client for things: for an answer of its model, for the user's input, for its folders. */
import { say, serve, text, tool } from './speak.ts'
import { createInterface } from 'node:readline'

const answers: unknown[] = []
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as { id?: unknown; error?: { code: number } }
  if (message.error !== undefined) answers.push(message.error.code)
})
serve({
  'tools/list': () => ({ tools: [tool('answers')] }),
  'tools/call': ({ id }) => {
    for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list'])
      say({ id: `ask ${method}`, method, params: { messages: [], maxTokens: 1, message: 'password?' } })
    setTimeout(() => say({ id, result: text(JSON.stringify(answers)) }), 300)
    return undefined
  },
})
