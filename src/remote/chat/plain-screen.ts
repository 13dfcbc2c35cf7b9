/** A pipe, or a terminal that cannot be drawn on: text after text. */
import type { Writable } from 'node:stream'
import type { Screen } from './screen.ts'

export class PlainScreen implements Screen {
  readonly #output: Writable
  #isWithin = false

  constructor(output: Writable) {
    this.#output = output
  }

  text(text: string, bar = ''): void {
    this.endPieces()
    const lines = text.split('\n').map((line) => bar + line)
    this.#output.write(`${lines.join('\n')}\n`)
  }

  piece(text: string): void {
    this.#isWithin = true
    this.#output.write(text)
  }

  endPieces(): void {
    if (this.#isWithin) this.#output.write('\n')
    this.#isWithin = false
  }

  setPrompt(): void {}
}
