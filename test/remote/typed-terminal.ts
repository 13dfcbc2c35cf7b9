/** `factotum <words>` as a process on a terminal of 80 columns, whose keys a test presses. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { expect } from 'vitest'
import { tokenOf } from '../harness/story.ts'

/** A terminal that a test types into. */
export class TypedTerminal implements AsyncDisposable {
  readonly #child
  #shown = ''

  /** Ada's. */
  constructor(url: string, words: string) {
    const command = `stty cols 80; exec ${process.execPath} bin/factotum.js ${words} --url ${url}`
    this.#child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, FACTOTUM_TOKEN: tokenOf('ada'), TERM: 'xterm' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child.stdout.on('data', (data: Buffer) => (this.#shown += data.toString()))
  }

  /** Each row that was ever drawn: what was written between two movements of the cursor. */
  get rows(): string[] {
    // eslint-disable-next-line no-control-regex -- what moves a cursor begins with a control character
    return this.#shown.split(/[\r\n]|\u001B\[[\d;]*[A-HJK]/).map((row) => stripVTControlCharacters(row))
  }

  get shown(): string {
    return stripVTControlCharacters(this.#shown).replaceAll('\r', '')
  }

  type(line: string): void {
    this.#child.stdin.write(`${line}\r`)
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#child.stdin.write('\u0003')
  }

  async ended(): Promise<unknown> {
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
    return this.#child.exitCode
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended()
  }
}

/** Waits until the person sees it. */
export function seen(terminal: TypedTerminal, text: string | RegExp): Promise<void> {
  return expect.poll(() => terminal.shown).toMatch(text)
}
