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

  text(text: string, bar = ''): void {
    this.#draw(() => {
      const begun = this.#takeWriting()
      const rows = text.split('\n').flatMap((line) => wrapLine(line, this.#width - textWidth(bar)))
      this.#scroll([...begun, ...rows.map((row) => bar + row)])
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
 * A line as rows of at most `width` columns, broken between words where that is possible. A line without words is one
 * empty row. Colours stay with their words, and what is shown as one character is not
 * broken; tabs become spaces.
 */
export function wrapLine(line: string, width: number): string[] {
  const rows = ['']
  for (const word of withoutTabs(line).split(/(?<= )/)) {
    const row = rows.at(-1) ?? ''
    if (textWidth(row + word.trimEnd()) <= width) rows[rows.length - 1] = row + word
    else if (textWidth(word) <= width) rows.push(word)
    else for (const part of partsOf(word, width)) rows.push(part)
  }
  return rows[0] === '' && rows.length > 1 ? rows.slice(1) : rows
}

const TAB_COLUMNS = 8

function withoutTabs(line: string): string {
  const [first = '', ...others] = line.split('\t')
  return others.reduce((done, next) => done + ' '.repeat(TAB_COLUMNS - (textWidth(done) % TAB_COLUMNS)) + next, first)
}

function partsOf(word: string, width: number): string[] {
  const parts = ['']
  let taken = 0
  for (const unit of unitsOf(word)) {
    const columns = textWidth(unit)
    if (taken + columns <= width) parts[parts.length - 1] += unit
    else parts.push(unit)
    taken = taken + columns <= width ? taken + columns : columns
  }
  return parts
}

// eslint-disable-next-line no-control-regex -- what sets a colour begins with a control character
const COLOUR = /(\u001B\[[\d;]*m)/
const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What is not broken: a colour, or what is shown as one character. */
function unitsOf(word: string): string[] {
  return word
    .split(COLOUR)
    .flatMap((piece, index) =>
      index % 2 === 1 ? [piece] : Array.from(CHARACTERS.segment(piece), ({ segment }) => segment),
    )
}
