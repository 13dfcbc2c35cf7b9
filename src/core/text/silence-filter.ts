/**
 * Silence: a model that answers `<NO_REPLY>` (older: `<EMPTY_RESPONSE>`) says nothing. The marker is removed wherever
 * it stands, in upper or lower case, with white space inside its brackets or not; also where the removal of one makes
 * another. Called by the turn for all that the agent says.
 *
 * What must hold: a text in pieces comes out as it would whole, wherever it was cut, and no part of a marker comes out.
 */
export const SILENCE_MARKER = '<NO_REPLY>'

const WORDS = ['NO_REPLY', 'EMPTY_RESPONSE']

/** The text without markers; null when nothing but white space is left, so that there is nothing to say. */
export function withoutSilence(text: string): string | null {
  const filter = new SilenceFilter()
  const said = filter.push(text) + filter.end()
  return said === '' ? null : said
}

/** What may be the beginning of a marker: from the "<" at `from` of what is held back. */
interface Opening {
  readonly from: number
  /** The letters of the word so far. */
  word: string
  /** White space followed the word: only ">" may come. */
  closing: boolean
}

/**
 * Removes markers from a text that comes in pieces. `push` returns what can be said by now: held back are white space
 * before the first word, and what may be the beginning of a marker. `end` returns the rest.
 */
export class SilenceFilter {
  #held = ''
  /** Outermost first: "<NO_" and then "<" within, whose removal would let "<NO_" go on. */
  #openings: Opening[] = []
  /** White space before the first word; null once that has come. */
  #blank: string | null = ''

  push(piece: string): string {
    if (this.#openings.length === 0 && !piece.includes('<')) return this.#say(piece)
    let said = ''
    // By code unit: a surrogate is no part of a marker, and comes out beside its other half.
    for (let at = 0; at < piece.length; at++) said += this.#read(piece.charAt(at))
    return this.#say(said)
  }

  end(): string {
    return this.#say(this.#letGo())
  }

  #read(char: string): string {
    if (char === '<') {
      this.#openings.push({ from: this.#held.length, word: '', closing: false })
      this.#held += char
      return ''
    }
    const opening = this.#openings.at(-1)
    if (opening === undefined) return char
    this.#held += char
    if (char === '>' && WORDS.includes(opening.word)) {
      this.#openings.pop()
      this.#held = this.#held.slice(0, opening.from)
      return ''
    }
    // What this one is not the beginning of is text, and those around it cannot go on with that either.
    return goesOn(opening, char) ? '' : this.#letGo()
  }

  #letGo(): string {
    const text = this.#held
    this.#held = ''
    this.#openings = []
    return text
  }

  #say(text: string): string {
    if (this.#blank === null) return text
    const said = this.#blank + text
    this.#blank = said.trim() === '' ? said : null
    return this.#blank === null ? said : ''
  }
}

/** Whether a marker may go on with `char`, which is not its end. */
function goesOn(opening: Opening, char: string): boolean {
  if (/\s/.test(char)) {
    opening.closing = opening.word !== ''
    return opening.word === '' || WORDS.includes(opening.word)
  }
  if (opening.closing || !/[a-z_]/i.test(char)) return false
  opening.word += char.toUpperCase()
  return WORDS.some((word) => word.startsWith(opening.word))
}
