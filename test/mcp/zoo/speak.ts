/**
 * What a server of the zoo needs: the Model Context Protocol over standard input and output, by hand, without a
 * package.
 */
import { createInterface } from 'node:readline'

export interface Asked {
  readonly id?: number | string
  readonly method: string
  readonly params: Record<string, never> & {
    readonly name?: string
    readonly arguments?: Record<string, unknown>
    readonly cursor?: string
    readonly _meta?: { readonly progressToken?: number }
  }
}

type Answers = Readonly<Record<string, (asked: Asked) => unknown>>

export function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

export function tool(name: string, more: object = {}): object {
  return { name, description: `The tool ${name}.`, inputSchema: { type: 'object' }, ...more }
}

export function text(answer: string): object {
  return { content: [{ type: 'text', text: answer }] }
}

/** Nothing is answered to what an answer of `undefined` is for. */
export function serve(answers: Answers): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const asked = JSON.parse(line) as Asked
    const answer = { ...USUAL, ...answers }[asked.method]
    if (asked.id === undefined || answer === undefined) return
    const result = answer(asked)
    if (result !== undefined) say({ id: asked.id, result })
  })
}

const USUAL: Answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'zoo', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [tool('ok')] }),
  'tools/call': () => text('ok'),
}
