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

/** Up to here, copying a payload into each subscriber's buffer is cheaper than a second chunk in the write. */
const COPY_UP_TO_BYTES = 16 * 1024
const TEXT_FRAME = 0x81
const AFTER_PAYLOAD = Buffer.from('}')

/** A GraphQL result on its way. */
export interface ResultPayload {
  /** Of the event that it shows. */
  readonly seq: number
  /** UTF-8 JSON. */
  readonly payload: Buffer
}

export class Batch {
  /** One GraphQL result each, as UTF-8 JSON, in order. */
  readonly payloads: readonly Buffer[]
  readonly bytes: number
  readonly #shown: readonly ResultPayload[]
  #framed: { readonly id: string; readonly frames: Buffer } | null = null
  #events: Buffer | null = null

  constructor(shown: readonly ResultPayload[]) {
    this.#shown = shown
    this.payloads = shown.map(({ payload }) => payload)
    this.bytes = this.payloads.reduce((sum, payload) => sum + payload.length, 0)
  }

  /** Writes a `next` message of the graphql-transport-ws protocol per payload. `id`: the operation's id, as JSON. */
  writeFrames(socket: Writable, id: string): void {
    if (this.bytes <= COPY_UP_TO_BYTES * this.payloads.length) {
      // Clients that number their operations have the same id on every socket: then one buffer serves them all.
      if (this.#framed?.id !== id) this.#framed = { id, frames: this.#framesFor(id) }
      socket.write(this.#framed.frames)
      return
    }
    const opening = Buffer.from(openingOf(id))
    socket.cork()
    for (const payload of this.payloads) {
      const length = opening.length + payload.length + AFTER_PAYLOAD.length
      const head = Buffer.allocUnsafe(headerLength(length) + opening.length)
      opening.copy(head, writeHeader(head, 0, length))
      socket.write(head)
      socket.write(payload)
      socket.write(AFTER_PAYLOAD)
    }
    socket.uncork()
  }

  /** A `next` event of the GraphQL over SSE protocol per payload; its id is the seq. */
  get events(): Buffer {
    this.#events ??= Buffer.concat(
      this.#shown.flatMap(({ seq, payload }) => [Buffer.from(`event: next\nid: ${seq}\ndata: `), payload, AFTER_EVENT]),
    )
    return this.#events
  }

  #framesFor(id: string): Buffer {
    const opening = openingOf(id)
    const openingLength = Buffer.byteLength(opening)
    const around = openingLength + AFTER_PAYLOAD.length
    let total = 0
    for (const payload of this.payloads) total += headerLength(around + payload.length) + around + payload.length
    const frames = Buffer.allocUnsafe(total)
    let at = 0
    for (const payload of this.payloads) {
      at = writeHeader(frames, at, around + payload.length)
      at += frames.write(opening, at)
      at += payload.copy(frames, at)
      at += AFTER_PAYLOAD.copy(frames, at)
    }
    return frames
  }
}

const AFTER_EVENT = Buffer.from('\n\n')

function openingOf(id: string): string {
  return `{"id":${id},"type":"next","payload":`
}

function headerLength(payloadLength: number): number {
  return payloadLength < 126 ? 2 : payloadLength < 65_536 ? 4 : 10
}

/** Writes the header of an unmasked text frame; returns where the payload starts. */
function writeHeader(target: Buffer, at: number, length: number): number {
  target[at] = TEXT_FRAME
  if (length < 126) {
    target[at + 1] = length
    return at + 2
  }
  if (length < 65_536) {
    target[at + 1] = 126
    return target.writeUInt16BE(length, at + 2)
  }
  target[at + 1] = 127
  return target.writeBigUInt64BE(BigInt(length), at + 2)
}
