/**
 * Collects what a command prints: as text that can be stored, whole characters, at most `limitBytes` of both streams
 * together, and a part more for standard error alone, since the reason of a failure comes last; and a little of what
 * comes after that, by which a secret is known of which the limit left a part. The rest is only counted, so that the
 * command does not block on a full pipe.
 */
import { TextDecoder } from 'node:util'
import type { OutputStream } from '../../core/session-event.ts'
import { toStorable } from '../../platform/well-formed.ts'
import type { CommandOutput } from '../command.ts'

/** Gets output as it appears, in whole characters. */
export type OnOutput = (stream: OutputStream, text: string) => void

interface StreamState {
  /** Holds the first bytes of a character whose rest is in the next chunk. */
  readonly decoder: TextDecoder
  readonly pieces: string[]
  /** Of the pieces, in UTF-8. */
  keptBytes: number
  /** The limit has cut it off: nothing more of it is kept. */
  isCut: boolean
  /** What came after the limit. */
  beyond: string
}

/** More than a secret has characters in almost any form. */
const MAX_BEYOND_CHARS = 16_384
/** What standard error may have beyond the limit, as a part of it: standard output cannot use it up. */
const ERROR_SHARE = 1 / 16

/** For one command: `write` for each chunk, then `finish` once. */
export class OutputCapture {
  readonly #onOutput: OnOutput
  readonly #streams: Readonly<Record<OutputStream, StreamState>> = { STDOUT: newStream(), STDERR: newStream() }
  readonly #limitBytes: number
  #receivedBytes = 0

  /** `onOutput` gets every kept piece at once; its pieces of a stream put together are what `finish` returns for it. */
  constructor(limitBytes: number, onOutput: OnOutput) {
    this.#limitBytes = limitBytes
    this.#onOutput = onOutput
  }

  /** All bytes so far, also the dropped ones. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  /** Keeps what the limit still allows; the rest is only counted. A character may be split between two chunks. */
  write(stream: OutputStream, chunk: Uint8Array): void {
    this.#receivedBytes += chunk.byteLength
    const { decoder, beyond } = this.#streams[stream]
    if (beyond.length >= MAX_BEYOND_CHARS) return
    this.#keep(stream, decoder.decode(chunk, { stream: true }))
  }

  /** After the last chunk. A character that never became whole is kept as U+FFFD. */
  finish(): CommandOutput {
    const { STDOUT, STDERR } = this.#streams
    for (const stream of ['STDOUT', 'STDERR'] as const) this.#keep(stream, this.#streams[stream].decoder.decode())
    const printed = { stdout: STDOUT.pieces.join(''), stderr: STDERR.pieces.join('') }
    const truncated = STDOUT.isCut || STDERR.isCut
    const beyond = { stdout: STDOUT.beyond, stderr: STDERR.beyond }
    return truncated ? { ...printed, truncated, beyond } : { ...printed, truncated }
  }

  #keep(stream: OutputStream, decoded: string): void {
    const state = this.#streams[stream]
    const storable = toStorable(decoded)
    const text = state.isCut ? '' : this.#cutToLimit(stream, storable)
    if (state.isCut)
      state.beyond = (state.beyond + storable.slice(text.length)).slice(0, MAX_BEYOND_CHARS).toWellFormed()
    if (text === '') return
    state.pieces.push(text)
    this.#onOutput(stream, text)
  }

  #cutToLimit(stream: OutputStream, text: string): string {
    const state = this.#streams[stream]
    const freeBytes = this.#freeFor(stream)
    const bytes = Buffer.byteLength(text)
    state.isCut = bytes > freeBytes
    const kept = state.isCut ? cutToBytes(text, freeBytes) : text
    state.keptBytes += state.isCut ? Buffer.byteLength(kept) : bytes
    return kept
  }

  #freeFor(stream: OutputStream): number {
    const { STDOUT, STDERR } = this.#streams
    const forErrors = Math.floor(this.#limitBytes * ERROR_SHARE)
    if (stream === 'STDERR') return this.#limitBytes + forErrors - STDOUT.keptBytes - STDERR.keptBytes
    return this.#limitBytes - STDOUT.keptBytes - Math.max(0, STDERR.keptBytes - forErrors)
  }
}

function newStream(): StreamState {
  return { decoder: new TextDecoder('utf-8', { ignoreBOM: true }), pieces: [], keptBytes: 0, isCut: false, beyond: '' }
}

/** The longest start of `text` that is at most `bytes` long in UTF-8 and ends between two characters. */
function cutToBytes(text: string, bytes: number): string {
  const target = new Uint8Array(bytes)
  const { read } = new TextEncoder().encodeInto(text, target)
  return text.slice(0, read)
}
