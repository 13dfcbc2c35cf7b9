/**
 * Collects what a command prints: as text that can be stored, whole characters, at most `limitBytes` of both streams
 * together, and a little of what comes after that, by which a secret is known of which the limit left a part. The rest
 * is only counted, so that the command does not block on a full pipe.
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
  /** What came after the limit. */
  beyond: string
}

/** More than a secret has characters in almost any form. */
const MAX_BEYOND_CHARS = 16_384

/** For one command: `write` for each chunk, then `finish` once. */
export class OutputCapture {
  readonly #onOutput: OnOutput
  readonly #streams: Readonly<Record<OutputStream, StreamState>> = { STDOUT: newStream(), STDERR: newStream() }
  #freeBytes: number
  #truncated = false
  #receivedBytes = 0

  /** `onOutput` gets every kept piece at once; its pieces of a stream put together are what `finish` returns for it. */
  constructor(limitBytes: number, onOutput: OnOutput) {
    this.#freeBytes = limitBytes
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
    const printed = { stdout: STDOUT.pieces.join(''), stderr: STDERR.pieces.join(''), truncated: this.#truncated }
    return this.#truncated ? { ...printed, beyond: { stdout: STDOUT.beyond, stderr: STDERR.beyond } } : printed
  }

  #keep(stream: OutputStream, decoded: string): void {
    const storable = toStorable(decoded)
    const text = this.#truncated ? '' : this.#cutToLimit(storable)
    const state = this.#streams[stream]
    if (this.#truncated)
      state.beyond = (state.beyond + storable.slice(text.length)).slice(0, MAX_BEYOND_CHARS).toWellFormed()
    if (text === '') return
    state.pieces.push(text)
    this.#onOutput(stream, text)
  }

  #cutToLimit(text: string): string {
    const bytes = Buffer.byteLength(text)
    if (bytes <= this.#freeBytes) {
      this.#freeBytes -= bytes
      return text
    }
    this.#truncated = true
    return cutToBytes(text, this.#freeBytes)
  }
}

function newStream(): StreamState {
  return { decoder: new TextDecoder('utf-8', { ignoreBOM: true }), pieces: [], beyond: '' }
}

/** The longest start of `text` that is at most `bytes` long in UTF-8 and ends between two characters. */
function cutToBytes(text: string, bytes: number): string {
  const target = new Uint8Array(bytes)
  const { read } = new TextEncoder().encodeInto(text, target)
  return text.slice(0, read)
}
