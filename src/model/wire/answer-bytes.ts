/**
 * The bytes of an answer as they come, handed from the transport to their reader. In place of a web stream, of
 * which an answer used to pass through two: most of what a call cost.
 *
 * What must hold: one reader. Chunks come out in order; no more than one waits while the reader is busy, as the source
 * pauses. After the end, a failure or `cancel` nothing more comes.
 */

/** What the bytes come from. */
export interface ByteSource {
  /** The reader wants more. */
  resume(): void
  /** No more until then. */
  pause(): void
  /** The reader has what it wants. */
  cancel(): void
}

type Waiting = PromiseWithResolvers<Uint8Array | null>

/** Between one source and one reader. */
export class AnswerBytes {
  readonly #source: ByteSource
  #chunks: Uint8Array[] = []
  #waiting: Waiting | null = null
  /** Null: there may be more. */
  #end: { readonly error?: unknown } | null = null

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** The source has another chunk. */
  push(chunk: Uint8Array): void {
    if (this.#end !== null) return
    const waiting = this.#takeWaiting()
    if (waiting !== null) return waiting.resolve(chunk)
    this.#chunks.push(chunk)
    this.#source.pause()
  }

  /** The source has no more. */
  end(): void {
    this.#finish({})
  }

  /** The source has failed: the reader learns of that before of what it has not read yet. */
  fail(error: unknown): void {
    if (this.#end !== null) return
    this.#chunks = []
    this.#finish({ error })
  }

  /** The next chunk; null: that was all. Rejects with what the source failed with. */
  next(): Promise<Uint8Array | null> {
    const chunk = this.#chunks.shift()
    if (chunk !== undefined) return Promise.resolve(chunk)
    if (this.#end !== null) return 'error' in this.#end ? Promise.reject(this.#end.error) : Promise.resolve(null)
    const waiting: Waiting = Promise.withResolvers()
    this.#waiting = waiting
    this.#source.resume()
    return waiting.promise
  }

  /** `next` gives this chunk once more. */
  unread(chunk: Uint8Array): void {
    this.#chunks.unshift(chunk)
  }

  /** The rest is not wanted. Nothing when all has come. */
  cancel(): void {
    if (this.#end !== null) return
    this.#chunks = []
    this.#finish({})
    this.#source.cancel()
  }

  #takeWaiting(): Waiting | null {
    const waiting = this.#waiting
    this.#waiting = null
    return waiting
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== null) return
    this.#end = end
    const waiting = this.#takeWaiting()
    if ('error' in end) waiting?.reject(end.error)
    else waiting?.resolve(null)
  }
}

/** An answer whose body is `chunks`: what a Response has of its own would be a web stream. */
export class StreamedAnswer extends Response {
  readonly chunks: AnswerBytes

  constructor(chunks: AnswerBytes, head: { readonly status: number; readonly headers: Headers }) {
    super(null, head)
    this.chunks = chunks
  }

  /** All of it. Rejects as `AnswerBytes.next` does. */
  override async text(): Promise<string> {
    const read: Uint8Array[] = []
    for (let chunk = await this.chunks.next(); chunk !== null; chunk = await this.chunks.next()) read.push(chunk)
    return new TextDecoder().decode(Buffer.concat(read))
  }

  /** Rejects also with a SyntaxError. */
  override async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}
