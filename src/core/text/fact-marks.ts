/**
 * What a text says that it relies on: a model ends it with a mark such as `<FACTS F1 F3>`, with the labels of facts
 * that it was shown. The mark is for the server: it is taken out wherever it stands, and at the end with the empty
 * lines before it. Called for all that a messenger or a conversation says.
 *
 * What must hold: a text in pieces comes out as it would whole, wherever it was cut, and no part of a mark comes out.
 */

/** A longer one is text: what may be a mark is held back, and must not hold back an answer. */
const MAX_MARK_CHARS = 400

const MARK = /^<\s*FACTS(?:[\s,;:[\]]+F\d{1,4})+[\s,;:[\]]*>$/i
const BEGINNING = /^<\s*(?:F(?:A(?:C(?:T(?:S(?:[\s,;:[\]]+F\d{1,4})*(?:[\s,;:[\]]+F?)?)?)?)?)?)?$/i

/** Takes marks out of a text that comes in pieces. */
export class FactMarks {
  readonly #labels = new Set<string>()
  /** A line's end with the white space after it, and behind that what may be the beginning of a mark. */
  #held = ''
  /** Where in `#held` that begins; null: there is none. */
  #from: number | null = null
  /** A mark stood in the white space that is held. */
  #isMarked = false

  /** Those of the marks so far, each once. */
  get labels(): readonly string[] {
    return [...this.#labels]
  }

  /** What can be said by now. */
  push(piece: string): string {
    let said = ''
    // By code unit: a surrogate is no part of a mark, and comes out beside its other half.
    for (let at = 0; at < piece.length; at++) said += this.#read(piece.charAt(at))
    return said
  }

  /** The rest. */
  end(): string {
    const isBlank = this.#from === null
    return isBlank && this.#isMarked ? '' : this.#held
  }

  #read(char: string): string {
    if (this.#from !== null) return this.#readMark(this.#from, char)
    const isHeld = this.#held !== '' || this.#isMarked ? /[\s<]/.test(char) : char === '\n' || char === '<'
    if (!isHeld) return this.#letGo(char)
    if (char === '<') this.#from = this.#held.length
    this.#held += char
    return ''
  }

  #readMark(from: number, char: string): string {
    const mark = this.#held.slice(from) + char
    if (MARK.test(mark)) {
      for (const label of mark.match(/F\d+/gi) ?? []) this.#labels.add(label.toUpperCase())
      this.#held = this.#held.slice(0, from)
      this.#from = null
      this.#isMarked = true
      return ''
    }
    if (mark.length < MAX_MARK_CHARS && BEGINNING.test(mark)) {
      this.#held += char
      return ''
    }
    // Its "<" is text; there is no other in what follows.
    const rest = this.#held.slice(from + 1) + char
    this.#held = this.#held.slice(0, from)
    return this.#letGo('<') + this.push(rest)
  }

  #letGo(char: string): string {
    const text = this.#held + char
    this.#held = ''
    this.#from = null
    this.#isMarked = false
    return text
  }
}

/** A whole text without its marks, and the labels in them. */
export function takeFactMarks(text: string): { readonly text: string; readonly labels: readonly string[] } {
  const marks = new FactMarks()
  const said = marks.push(text) + marks.end()
  return { text: said, labels: marks.labels }
}
