/**
 * A model that is a program: an agent that keeps the conversation itself, in a process of its own for each session that
 * is in use. What this shows: a runtime, a program in the sandbox that is spoken to in lines of JSON, and how it ends.
 */
import { readFile } from 'node:fs/promises'
import {
  definePlugin,
  z,
  type Program,
  type RuntimePiece,
  type RuntimeRequest,
  type RuntimeSession,
} from 'factotum/plugin'

/** A line of the agent; what is none of these is its mistake. */
const line = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['text', 'thinking']), text: z.string() }),
  z.object({ kind: z.literal('call'), id: z.string(), name: z.string(), args: z.record(z.string(), z.json()) }),
  z.object({ kind: z.literal('usage'), inputTokens: z.number(), outputTokens: z.number() }),
  z.object({ kind: z.literal('done') }),
])

/** The program that answers in one conversation. */
class Agent implements RuntimeSession {
  readonly #program: Program
  readonly #lines: AsyncIterator<string>

  constructor(program: Program) {
    this.#program = program
    this.#lines = program.lines[Symbol.asyncIterator]()
  }

  async *send({ messages, tools, signal }: RuntimeRequest): AsyncGenerator<RuntimePiece> {
    // Factotum closes the conversation then; the program need not go on until it has noticed.
    signal.addEventListener('abort', () => void this.#program.end(), { once: true })
    await this.#program.writeLine(JSON.stringify({ type: 'messages', messages, tools }))
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done === true) throw new Error('the agent has ended')
      const piece = line.parse(JSON.parse(value))
      if (piece.kind === 'done') return
      yield piece
    }
  }

  close(): Promise<void> {
    return this.#program.end()
  }
}

export default definePlugin({
  name: 'subprocess-agent',
  version: '1.0.0',
  api: 1,
  title: 'Subprocess agent',
  description: 'Answers in conversations by a program of its own.',
  runtimes: {
    agent: {
      description: 'An agent in the sandbox, over JSON lines.',
      open: async ({ model, system }, ctx) => {
        const source = await readFile(new URL('agent.js', import.meta.url), 'utf8')
        const program = await ctx.startProgram({ command: 'node', args: ['--input-type=module', '-e', source] })
        const end = (): void => void program.end()
        // Factotum closes only what was opened: until then the program is ended here.
        ctx.signal.addEventListener('abort', end, { once: true })
        try {
          ctx.signal.throwIfAborted()
          await program.writeLine(JSON.stringify({ type: 'open', model, system }))
        } catch (error) {
          end()
          throw error
        } finally {
          ctx.signal.removeEventListener('abort', end)
        }
        return new Agent(program)
      },
    },
  },
})
