/** A program that a plugin has started in the sandbox, as the plugin reaches it: lines in, lines out. */
import type { Json } from './hook-inputs.ts'

/** What to run; it sees its own folder, and nothing of the server or of users. */
export interface ProgramStart {
  /** "node" is the Node of the server. */
  readonly command: string
  readonly args?: readonly string[]
  /** All that it gets besides PATH, HOME and LANG. */
  readonly environment?: Readonly<Record<string, string>>
  /** Whether it may open connections. Default: false. */
  readonly network?: boolean
}

/** It ends with the plugin, however that ends. */
export interface Program {
  /** What it prints, line by line, read only as fast as it is taken; throws when the program has ended. One reader. */
  readonly lines: AsyncIterable<string>
  /** A line for its standard input. Rejects when it has ended. */
  writeLine(line: string): Promise<void>
  /** Ends it with all that it started. Repeatable. */
  end(): Promise<void>
}

/** What is asked of the server; `program`: what PROGRAM_START was answered with. */
export type ProgramRequest =
  | {
      readonly what: 'PROGRAM_START'
      readonly command: string
      readonly args: readonly string[]
      readonly environment: Readonly<Record<string, string>>
      readonly network: boolean
    }
  | { readonly what: 'PROGRAM_WRITE'; readonly program: number; readonly text: string }
  | { readonly what: 'PROGRAM_READ' | 'PROGRAM_END'; readonly program: number }

/** Of one line. */
const MAX_LINE_CHARS = 1024 * 1024

/** Asks the server, which rejects with an Error that says what to change. */
type Ask = (request: ProgramRequest) => Promise<Json>

/** Resolves when it has begun. */
export async function startProgram(
  ask: Ask,
  { command, args = [], environment = {}, network = false }: ProgramStart,
): Promise<Program> {
  const program = (await ask({ what: 'PROGRAM_START', command, args, environment, network })) as number
  return {
    lines: linesOf(async () => (await ask({ what: 'PROGRAM_READ', program })) as string),
    writeLine: async (line) => void (await ask({ what: 'PROGRAM_WRITE', program, text: `${line}\n` })),
    end: async () => void (await ask({ what: 'PROGRAM_END', program })),
  }
}

async function* linesOf(read: () => Promise<string>): AsyncGenerator<string> {
  let rest = ''
  for (;;) {
    const lines = (rest + (await read())).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARS) throw new Error('the program printed a line that is too long')
    yield* lines
  }
}
