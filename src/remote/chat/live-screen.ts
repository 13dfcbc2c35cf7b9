/**
 * A terminal: what is said scrolls, the line that is being written stands below it, and the prompt with what a person
 * has typed so far at the foot. All three are drawn again for each change; only whole lines scroll.
 */
import { cursorTo, moveCursor, clearScreenDown, type Interface } from 'node:readline'
import type { Writable } from 'node:stream'
import { textWidth } from '../text/text-width.ts'
import type { Screen } from './screen.ts'

export class LiveScreen implements Screen {
  readonly #output: Writable & { readonly columns?: number }
  readonly #lines: Interface
  /** The line that is being written: never longer than a row. */
  #writing = ''
  #isWithin = false
  #isClosed = false

  constructor(output: Writable & { readonly columns?: number }, lines: Interface) {
    this.#output = output
    this.#lines = lines
    lines.once('close', () => (this.#isClosed = true))
  }

  text(text: string): void {
    this.#draw(() => {
      const begun = this.#takeWriting()
      this.#scroll([...begun, ...text.split('\n').flatMap((line) => wrapLine(line, this.#width))])
    })
  }

  piece(text: string): void {
    this.#draw(() => {
      this.#isWithin = true
      const lines = (this.#writing + text).split('\n').flatMap((line) => wrapLine(line, this.#width))
      this.#writing = lines.at(-1) ?? ''
      this.#scroll(lines.slice(0, -1))
    })
  }

  endPieces(): void {
    this.#draw(() => this.#scroll(this.#takeWriting()))
  }

  setPrompt(prompt: string): void {
    this.#draw(() => this.#lines.setPrompt(prompt))
  }

  get #width(): number {
    return Math.max(20, this.#output.columns ?? 80) - 1
  }

  #takeWriting(): string[] {
    const begun = this.#isWithin ? [this.#writing] : []
    this.#isWithin = false
    this.#writing = ''
    return begun
  }

  #scroll(lines: readonly string[]): void {
    for (const line of lines) this.#output.write(`${line}\n`)
  }

  #draw(change: () => void): void {
    if (this.#isClosed) return change()
    const { rows } = this.#lines.getCursorPos()
    moveCursor(this.#output, 0, -rows - (this.#isWithin && textWidth(this.#writing) > 0 ? 1 : 0))
    cursorTo(this.#output, 0)
    clearScreenDown(this.#output)
    change()
    if (this.#isWithin && textWidth(this.#writing) > 0) this.#output.write(`${this.#writing}\n`)
    // The prompt is drawn from where its last row was: readline goes up by as many rows as the input has.
    this.#output.write('\n'.repeat(rows))
    this.#lines.prompt(true)
  }
}

/**
 * A line as rows of at most `width` columns, broken between words where that is possible.
 * A line without words is one empty row. Colours stay with their words.
 */
export function wrapLine(line: string, width: number): string[] {
  const rows = ['']
  for (const word of line.split(/(?<= )/)) {
    const row = rows.at(-1) ?? ''
    if (textWidth(row + word.trimEnd()) <= width) rows[rows.length - 1] = row + word
    else if (textWidth(word) <= width) rows.push(word)
    else for (const part of partsOf(word, width)) rows.push(part)
  }
  return rows[0] === '' && rows.length > 1 ? rows.slice(1) : rows
}

function partsOf(word: string, width: number): string[] {
  const parts = ['']
  for (const character of word) {
    const part = parts.at(-1) ?? ''
    if (textWidth(part + character) <= width) parts[parts.length - 1] = part + character
    else parts.push(character)
  }
  return parts
}
