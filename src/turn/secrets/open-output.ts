/**
 * The live output of a program that was given no secret and can reach none: nothing of it is held back. Pieces that
 * come within 50 ms of each other become one event (at most 20 a second per task), in order. What leaves here passes
 * the journal, which takes whole secrets out of each piece.
 */
import type { OutputStream } from '../../core/session-event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { EmitOutput, LiveOutput } from './live-output.ts'
import { splitOutput } from './split-output.ts'

const INTERVAL_MS = 50

/** Of one task. It must end, or be discarded, or its timer goes on. */
export class OpenOutput implements LiveOutput {
  readonly #clock: Clock
  readonly #emit: EmitOutput
  #waiting: { stream: OutputStream; text: string }[] = []
  #cancelTimer: (() => void) | null = null
  #emitted = false

  constructor(clock: Clock, emit: EmitOutput) {
    this.#clock = clock
    this.#emit = emit
  }

  /** The next piece; said within 50 ms. */
  add(stream: OutputStream, text: string): void {
    const last = this.#waiting.at(-1)
    if (last?.stream === stream) last.text += text
    else this.#waiting.push({ stream, text })
    this.#cancelTimer ??= this.#clock.after(INTERVAL_MS, () => this.end())
  }

  /** Says what waits. */
  end(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    const waiting = this.#waiting
    this.#waiting = []
    for (const { stream, text } of waiting) {
      for (const piece of splitOutput(text)) {
        this.#emitted = true
        this.#emit(stream, piece)
      }
    }
  }

  /** Drops what waits; whether anything had been said. */
  discard(): boolean {
    this.#cancelTimer?.()
    this.#cancelTimer = null
    this.#waiting = []
    return this.#emitted
  }
}
