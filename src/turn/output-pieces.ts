/**
 * Coalesces streamed output: pieces that come within 50 ms of each other become one event (at most 20 a second per task), in
 * order, without secrets: what may be the beginning of one waits for its rest. Text that is ready within the first 50 ms makes
 * no piece at all for a caller that discards.
 */
import type { OutputStream } from '../core/session-event.ts'
import type { Clock } from '../platform/clock.ts'
import { StreamRedactor, type Redactor } from '../secrets/redaction.ts'

const INTERVAL_MS = 50
/** One event holds at most this much, so that a subscriber's frame stays small. */
const MAX_PIECE_CHARS = 32_768

export interface OutputPiecesOptions {
  readonly clock: Clock
  readonly redactor: () => Redactor
  readonly emit: (stream: OutputStream, text: string) => void
}

export class OutputPieces {
  readonly #options: OutputPiecesOptions
  readonly #streams: Readonly<Record<OutputStream, StreamRedactor>>
  #waiting: { stream: OutputStream; text: string }[] = []
  #cancelTimer: (() => void) | null = null
  #emitted = false

  constructor(options: OutputPiecesOptions) {
    this.#options = options
    const { redactor } = options
    this.#streams = { STDOUT: new StreamRedactor(redactor), STDERR: new StreamRedactor(redactor) }
  }

  add(stream: OutputStream, text: string): void {
    this.#wait(stream, this.#streams[stream].push(text))
    this.#cancelTimer ??= this.#options.clock.after(INTERVAL_MS, () => this.#flush())
  }

  /** Emits what waits; nothing comes after. `cut`: the text goes on where nobody sees it. */
  end({ cut = false }: { readonly cut?: boolean } = {}): void {
    for (const stream of ['STDOUT', 'STDERR'] as const) this.#wait(stream, this.#streams[stream].end({ cut }))
    this.#flush()
  }

  /** Drops what waits. Returns whether any piece had been emitted. */
  discard(): boolean {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#waiting = []
    return this.#emitted
  }

  #wait(stream: OutputStream, text: string): void {
    if (text === '') return
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.stream === stream) last.text += text
    else this.#waiting.push({ stream, text })
  }

  #flush(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const waiting = this.#waiting
    this.#waiting = []
    for (const { stream, text } of waiting) {
      for (const piece of split(text)) {
        this.#emitted = true
        this.#options.emit(stream, piece)
      }
    }
  }
}

/** Cuts a text into pieces of bounded size, never between the halves of a surrogate pair. */
export function split(text: string): string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + MAX_PIECE_CHARS, text.length)
    const lastUnit = text.charCodeAt(end - 1)
    if (end < text.length && lastUnit >= 0xd800 && lastUnit <= 0xdbff) end -= 1
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}
