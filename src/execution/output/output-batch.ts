/**
 * Joins the pieces of output that a command prints in quick succession, so that a program that prints byte by byte
 * costs the server 50 messages a second and not a million. The first piece goes out at once.
 */
import type { OutputStream } from '../../core/session-event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { OutputPiece } from '../host/host-messages.ts'

const PAUSE_MS = 20

/** For one command. Nothing is dropped, and the order of the pieces stays. */
export class OutputBatch {
  readonly #clock: Clock
  readonly #send: (pieces: readonly OutputPiece[]) => void
  #pieces: OutputPiece[] = []
  #isPaused = false

  constructor(clock: Clock, send: (pieces: readonly OutputPiece[]) => void) {
    this.#clock = clock
    this.#send = send
  }

  /** Sends the piece at once, or with others within 20 ms. */
  add(stream: OutputStream, text: string): void {
    this.#pieces.push([stream, text])
    if (this.#isPaused) return
    this.flush()
    this.#isPaused = true
    this.#clock.after(PAUSE_MS, () => {
      this.#isPaused = false
      this.flush()
    })
  }

  /** Sends what has been collected; call it before the answer that ends the command. */
  flush(): void {
    if (this.#pieces.length === 0) return
    const pieces = joinNeighbours(this.#pieces)
    this.#pieces = []
    this.#send(pieces)
  }
}

/** Consecutive pieces of one stream become one; the order of the streams stays. */
function joinNeighbours(pieces: readonly OutputPiece[]): readonly OutputPiece[] {
  const joined: { stream: OutputStream; texts: string[] }[] = []
  for (const [stream, text] of pieces) {
    const last = joined.at(-1)
    if (last?.stream === stream) last.texts.push(text)
    else joined.push({ stream, texts: [text] })
  }
  return joined.map(({ stream, texts }) => [stream, texts.join('')])
}
