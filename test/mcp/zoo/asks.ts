/** Asks its client for things: for an answer of its model, for the user's input, for its folders. */
import { say, serve, text, tool } from './speak.ts'
import { createInterface } from 'node:readline'

const METHODS = ['sampling/createMessage', 'elicitation/create', 'roots/list']
const answers: unknown[] = []
let called: unknown
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as { id?: unknown; error?: { code: number } }
  if (message.error === undefined) return
  answers.push(message.error.code)
  if (answers.length === METHODS.length) say({ id: called, result: text(JSON.stringify(answers)) })
})
serve({
  'tools/list': () => ({ tools: [tool('answers')] }),
  'tools/call': ({ id }) => {
    called = id
    for (const method of METHODS)
      say({ id: `ask ${method}`, method, params: { messages: [], maxTokens: 1, message: 'password?' } })
    return undefined
  },
})
