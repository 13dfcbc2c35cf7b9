/**
 * Redacts a text that comes in pieces. Who uses it says up to where it may be said (turn/secrets/held-output.ts), and
 * decides that by time and line ends alone: here nothing is held back because it may begin a secret, or who prints
 * guesses would see which is right.
 *
 * What must hold: a secret of which nothing was said when its end has come is not said; and neither is the rest of one,
 * otherwise.
 */
import { REDACTED } from '../core/text/redacted.ts'
import type { Redactor } from './redaction.ts'
import type { Span } from './encodings/span.ts'

/** So much of what was said is read again with what follows, so that a secret is seen that begins there. */
const CONTEXT_CHARS = 8_192

export class StreamRedactor {
  readonly #current: () => Redactor
  /** What was said last, and what is not said yet … */
  #text = ''
  /** … and where that begins, as all places here counted from the beginning of the stream. */
  #textFrom = 0
  #said = 0
  /** Up to here a mark stands for it that is said. */
  #covered = 0
  /** The last thing said is a mark. */
  #afterMark = false
  /** Where secrets stand, as long as nothing comes. */
  #found: { readonly by: Redactor; readonly spans: readonly Span[] } | null = null

  /**
   * `current`: asked whenever something is said, so that a secret that becomes known meanwhile is hidden from then on.
   */
  constructor(current: () => Redactor) {
    this.#current = current
  }

  /** How much has come. */
  get length(): number {
    return this.#textFrom + this.#text.length
  }

  /** How much of it is said. */
  get said(): number {
    return this.#said
  }

  push(piece: string): void {
    this.#text += piece
    this.#found = null
  }

  /** The text from where the last call ended up to `limit`, or to the character before, without secrets. */
  sayUntil(limit: number): string {
    const place = this.#wholeCharacters(limit)
    if (place <= this.#said) return ''
    const parts: string[] = []
    for (const { start, end } of this.#spans()) {
      // One that touches the mark said before belongs to it, even when that is all that is known of the rest.
      if (start >= place && !(this.#afterMark && start <= this.#covered)) break
      if (end <= this.#said) continue
      this.#say(parts, start)
      if (!this.#afterMark) parts.push(REDACTED)
      this.#afterMark = true
      this.#covered = Math.max(this.#covered, end)
    }
    this.#say(parts, place)
    this.#said = place
    this.#forget()
    return parts.join('')
  }

  #spans(): readonly Span[] {
    const redactor = this.#current()
    if (this.#found?.by === redactor) return this.#found.spans
    const from = this.#textFrom
    const spans = redactor.spansIn(this.#text).map(({ start, end }) => ({ start: start + from, end: end + from }))
    this.#found = { by: redactor, spans }
    return spans
  }

  /** Never between the halves of a surrogate pair, of which the second has come. */
  #wholeCharacters(place: number): number {
    const unit = this.#text.charCodeAt(place - 1 - this.#textFrom)
    return place < this.length && unit >= 0xd800 && unit <= 0xdbff ? place - 1 : place
  }

  /** Says the text up to `end`, as far as it is neither said nor covered. */
  #say(parts: string[], end: number): void {
    const from = Math.max(this.#said, this.#covered)
    if (end <= from) return
    parts.push(this.#text.slice(from - this.#textFrom, end - this.#textFrom))
    this.#covered = end
    this.#afterMark = false
  }

  #forget(): void {
    const from = Math.max(this.#textFrom, this.#said - CONTEXT_CHARS)
    this.#text = this.#text.slice(from - this.#textFrom)
    this.#textFrom = from
  }
}
