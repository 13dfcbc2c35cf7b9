/**
 * The live output of what may hold secrets: a program with the server's rights, a skill that was given some, a model.
 * It is said in whole lines (or words), each 100 to 200 ms after its end has come, so that a secret that comes in
 * several pieces or lines is whole before any of it is said. An unfinished line comes with its rest, or at the end.
 *
 * What must hold: when something is said, and in which pieces, follows from the time and from line ends alone. What
 * would depend on whether a text begins as a secret does would tell who prints guesses which is right, character by
 * character.
 */
import type { OutputStream } from '../../core/session-event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Redactor } from '../../secrets/redaction.ts'
import { StreamRedactor } from '../../secrets/stream-redactor.ts'
import { finishedLength, MAX_UNFINISHED_CHARS, type Unit } from './finished-length.ts'
import type { EmitOutput, LiveOutput, OutputEnd } from './live-output.ts'
import { splitOutput } from './split-output.ts'

/** `emit` gets texts without secrets, as `redactor` finds them when they are said. */
export interface HeldOutputOptions {
  readonly clock: Clock
  readonly redactor: () => Redactor
  readonly emit: EmitOutput
  readonly unit: Unit
}

/** Period of the timer; each run emits what came before the run before it. */
const TICK_MS = 100

/** A place in a stream up to which its units are finished. */
interface Finished {
  readonly stream: OutputStream
  readonly place: number
}

const STREAMS = ['STDOUT', 'STDERR'] as const

/** Of one task. It must end, or be discarded, or its timer goes on. */
export class HeldOutput implements LiveOutput {
  readonly #options: HeldOutputOptions
  readonly #streams: Readonly<Record<OutputStream, StreamRedactor>>
  /** In the order in which they came: before the last run of the timer, and since. */
  #seen: Finished[] = []
  #fresh: Finished[] = []
  #cancelTick: (() => void) | null = null
  #emitted = false

  constructor(options: HeldOutputOptions) {
    this.#options = options
    const { redactor } = options
    this.#streams = { STDOUT: new StreamRedactor(redactor), STDERR: new StreamRedactor(redactor) }
  }

  /** The next piece; said with what it finishes. */
  add(stream: OutputStream, text: string): void {
    const redactor = this.#streams[stream]
    const units = finishedLength(text, this.#options.unit)
    const unitEnd = units === 0 ? 0 : redactor.length + units
    redactor.push(text)
    this.#finish(stream, Math.max(unitEnd, redactor.length - MAX_UNFINISHED_CHARS))
  }

  /** Nothing more comes to what is unfinished: it is said as if its end had come now. */
  finishUnit(stream: OutputStream): void {
    this.#finish(stream, this.#streams[stream].length)
  }

  #finish(stream: OutputStream, place: number): void {
    if (place <= this.#streams[stream].said) return
    this.#fresh.push({ stream, place })
    this.#cancelTick ??= this.#options.clock.after(TICK_MS, () => this.#tick())
  }

  /** Says what waits; of what broke off only what was finished. */
  end({ brokeOff = false, beyond }: OutputEnd = {}): void {
    this.#cancelTick?.()
    this.#cancelTick = null
    const cutOff = { STDOUT: beyond?.stdout ?? '', STDERR: beyond?.stderr ?? '' }
    const whole = STREAMS.filter((stream) => !brokeOff || cutOff[stream] !== '')
    const rest = whole.map((stream) => ({ stream, place: this.#streams[stream].length }))
    for (const stream of STREAMS) this.#streams[stream].push(cutOff[stream])
    this.#say([...this.#seen, ...this.#fresh, ...rest])
    this.#seen = []
    this.#fresh = []
  }

  /** Drops what waits; whether anything had been said. */
  discard(): boolean {
    this.#cancelTick?.()
    this.#cancelTick = null
    this.#seen = []
    this.#fresh = []
    return this.#emitted
  }

  /**
   * A finished line is emitted by the second timer run after it came: if this process stalled, the event loop reads the
   * output that is pending between the two.
   */
  #tick(): void {
    this.#say(this.#seen)
    this.#seen = this.#fresh
    this.#fresh = []
    this.#cancelTick = this.#seen.length === 0 ? null : this.#options.clock.after(TICK_MS, () => this.#tick())
  }

  #say(finished: readonly Finished[]): void {
    const said: { readonly stream: OutputStream; text: string }[] = []
    for (const { stream, place } of finished) {
      const text = this.#streams[stream].sayUntil(place)
      const last = said.at(-1)
      if (last?.stream === stream) last.text += text
      else said.push({ stream, text })
    }
    for (const { stream, text } of said) {
      for (const piece of splitOutput(text)) {
        this.#emitted = true
        this.#options.emit(stream, piece)
      }
    }
  }
}
