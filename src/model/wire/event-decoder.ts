/**
 * A stream of events (https://html.spec.whatwg.org/multipage/server-sent-events.html) as the values in its data. Pure;
 * fed with bytes as they come. An event counts also where the stream ends without the blank line behind it.
 */
import type { AnswerBytes } from './answer-bytes.ts'

const LINE_END = /\r\n|\n|\r/
const DONE = '[DONE]'

/** Of one stream. */
export class EventDecoder {
  /** "[DONE]" has come: what follows is of no interest. */
  isDone = false
  readonly #utf8 = new TextDecoder()
  /** Of a line that is not over. */
  #line = ''
  /** The last line ended with a "\r" at the end of a chunk: a "\n" belongs to it. */
  #skipsLineFeed = false
  #data: string[] = []
  #hasName = false

  /** The events that this chunk completes. Throws a SyntaxError for one that is no JSON. */
  add(chunk: Uint8Array): unknown[] {
    let text = this.#utf8.decode(chunk, { stream: true })
    if (text === '') return []
    if (this.#skipsLineFeed && text.startsWith('\n')) text = text.slice(1)
    this.#skipsLineFeed = text.endsWith('\r')
    const [first = '', ...more] = text.split(LINE_END)
    this.#line += first
    const events: unknown[] = []
    for (const next of more) {
      this.#addLine(this.#line, events)
      this.#line = next
    }
    return events
  }

  /** What was left unfinished. Throws as `add` does. */
  end(): unknown[] {
    const events: unknown[] = []
    this.#addLine(this.#line + this.#utf8.decode(), events)
    this.#addLine('', events)
    this.#line = ''
    return events
  }

  #addLine(line: string, events: unknown[]): void {
    if (this.isDone) return
    if (line === '') return this.#complete(events)
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    if (field === 'event') this.#hasName = true
    if (field !== 'data') return
    const value = colon === -1 ? '' : line.slice(colon + 1)
    this.#data.push(value.startsWith(' ') ? value.slice(1) : value)
  }

  #complete(events: unknown[]): void {
    if (this.#data.length === 0 && !this.#hasName) return
    const data = this.#data.join('\n')
    this.#data = []
    this.#hasName = false
    if (data === DONE) this.isDone = true
    else events.push(parse(data))
  }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new SyntaxError('an event of the stream is no JSON', { cause: error })
  }
}

/**
 * Hands each event to `add`, until the stream ends or says that it is over; resolves to whether it said so. Rejects
 * with what the bytes fail with, with what `add` throws, and with a SyntaxError; then the rest is not read.
 */
export async function readEvents(bytes: AnswerBytes, add: (event: unknown) => void): Promise<boolean> {
  const decoder = new EventDecoder()
  try {
    for (let chunk = await bytes.next(); chunk !== null && !decoder.isDone; chunk = await bytes.next()) {
      for (const event of decoder.add(chunk)) add(event)
      if (decoder.isDone) return true
    }
    for (const event of decoder.end()) add(event)
    return decoder.isDone
  } finally {
    bytes.cancel()
  }
}
