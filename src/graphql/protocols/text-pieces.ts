/**
 * What a client has been given of one text that it cannot be made to take back. A text that is begun anew, because the
 * process that wrote it died, is held until it is whole: then its rest follows, or all of it once more.
 */
export class TextPieces {
  #given = ''
  #isHeld = false

  /** What to give of a piece. */
  add(piece: string): string {
    if (this.#isHeld) return ''
    this.#given += piece
    return piece
  }

  /** The pieces from now on are of another attempt. */
  beginAnew(): void {
    this.#isHeld = this.#given !== ''
  }

  /** What to give when the text is whole. */
  complete(whole: string): string {
    const given = this.#given
    this.#given = whole
    this.#isHeld = false
    if (whole.startsWith(given)) return whole.slice(given.length)
    return `\n\n${whole}`
  }

  /** Whether `text`, given last, is all that was given. */
  isFirst(text: string): boolean {
    return this.#given === text
  }
}
