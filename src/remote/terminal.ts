/** Where a command reads and writes. */
import type { Readable, Writable } from 'node:stream'

export interface Terminal {
  readonly input: Readable
  /** What was asked for. */
  readonly output: Writable & { readonly columns?: number }
  /** What is said besides: progress, refusals. */
  readonly errors: Writable
  /** A person sits at both ends: it may be asked, and lines may be drawn again. */
  readonly isInteractive: boolean
}

export function print(terminal: Terminal, line: string): void {
  terminal.output.write(`${line}\n`)
}

export function printError(terminal: Terminal, line: string): void {
  terminal.errors.write(`${line}\n`)
}
