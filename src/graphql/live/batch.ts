/**
 * Results of one operation on their way to many subscribers: serialised once, framed as late and as seldom as possible.
 *
 * WebSocket frames are made here and written to the TCP socket that node:http handed us at the upgrade, next to what
 * the `ws` library writes: a server's frames are neither masked nor (compression is off) dependent on earlier ones, and
 * both sides write whole frames synchronously, so they never interleave
 * (https://www.rfc-editor.org/rfc/rfc6455#section-5.2). It saves serialising, encoding and framing the same text for
 * every subscriber, which is most of the cost of a delivery.
 */
import type { Writable } from 'node:stream'
import type { Bytes } from './bytes.ts'

/** A payload up to this size is copied into each subscriber's frames: that is cheaper than a second chunk to write. */
const COPY_UP_TO_BYTES = 16 * 1024
/** What node:net writes from its stack, without memory of its own for it. */
const STRING_UP_TO_BYTES = 16 * 1024
const TEXT_FRAME = 0x81
const BEFORE_ID = '{"id":'
const AFTER_ID = ',"type":"next","payload":'
const AFTER_PAYLOAD = '}'

/** A GraphQL result on its way. */
export interface ResultPayload {
  /** Of the event that it shows. */
  readonly seq: number
  /** JSON. */
  readonly payload: Bytes
}

export class Batch {
  /** One GraphQL result each, as JSON, in order. */
  readonly payloads: readonly Bytes[]
  readonly bytes: number
  readonly #shown: readonly ResultPayload[]
  /** All frames of the batch, cut where the operation's id stands: it alone differs from subscriber to subscriber. */
  #cut: { readonly idLength: number; readonly pieces: readonly Bytes[] } | null = null
  #framed: { readonly id: Bytes; readonly frames: Bytes | Buffer } | null = null
  #large: readonly Buffer[] | null = null
  #events: Buffer | null = null

  constructor(shown: readonly ResultPayload[]) {
    this.#shown = shown
    this.payloads = shown.map(({ payload }) => payload)
    this.bytes = this.payloads.reduce((sum, payload) => sum + payload.length, 0)
  }

  /** Writes a `next` message of the graphql-transport-ws protocol per payload. `id`: the operation's id, as JSON. */
  writeFrames(socket: Writable, id: Bytes): void {
    if (this.bytes > COPY_UP_TO_BYTES * this.payloads.length) return this.#writeLarge(socket, id)
    // Clients that number their operations have the same id on every socket: then one text serves them all.
    if (this.#framed?.id !== id) this.#framed = { id, frames: this.#framesFor(id) }
    socket.write(this.#framed.frames, 'latin1')
  }

  /** A `next` event of the GraphQL over SSE protocol per payload; its id is the seq. */
  get events(): Buffer {
    const events = (): string =>
      this.#shown.map(({ seq, payload }) => `event: next\nid: ${seq}\ndata: ${payload}\n\n`).join('')
    this.#events ??= Buffer.from(events(), 'latin1')
    return this.#events
  }

  #framesFor(id: Bytes): Bytes | Buffer {
    if (this.#cut?.idLength !== id.length) this.#cut = { idLength: id.length, pieces: this.#piecesAround(id.length) }
    const frames = this.#cut.pieces.join(id)
    return frames.length <= STRING_UP_TO_BYTES ? frames : Buffer.from(frames, 'latin1')
  }

  #piecesAround(idLength: number): readonly Bytes[] {
    const around = BEFORE_ID.length + idLength + AFTER_ID.length + AFTER_PAYLOAD.length
    const pieces: Bytes[] = []
    let before = ''
    for (const payload of this.payloads) {
      pieces.push(before + headerOf(around + payload.length) + BEFORE_ID)
      before = AFTER_ID + payload + AFTER_PAYLOAD
    }
    return [...pieces, before]
  }

  #writeLarge(socket: Writable, id: Bytes): void {
    this.#large ??= this.payloads.map((payload) => Buffer.from(payload, 'latin1'))
    const opening = BEFORE_ID + id + AFTER_ID
    socket.cork()
    for (const payload of this.#large) {
      socket.write(headerOf(opening.length + payload.length + AFTER_PAYLOAD.length) + opening, 'latin1')
      socket.write(payload)
      socket.write(AFTER_PAYLOAD, 'latin1')
    }
    socket.uncork()
  }
}

/** Of an unmasked text frame. */
function headerOf(length: number): Bytes {
  if (length < 126) return String.fromCharCode(TEXT_FRAME, length)
  if (length < 65_536) return String.fromCharCode(TEXT_FRAME, 126, length >> 8, length & 255)
  const header = Buffer.from([TEXT_FRAME, 127, 0, 0, 0, 0, 0, 0, 0, 0])
  header.writeBigUInt64BE(BigInt(length), 2)
  return header.toString('latin1')
}
