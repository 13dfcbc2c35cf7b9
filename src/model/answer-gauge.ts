/**
 * Measures an answer's bytes as they come, before anything parses them: whether it is too large, or nested so deep that
 * parsing it would hold up every other session (a million brackets take JSON.parse 0.2 s). Pure; fed by the transport.
 */

/** An answer that was given up because it broke one of our limits. */
export class AnswerCut extends Error {
  override readonly name = 'AnswerCut'
  readonly limit: 'silence' | 'duration' | 'size' | 'protocol'

  constructor(limit: AnswerCut['limit'], message: string) {
    super(message)
    this.limit = limit
  }
}

/** Which limits hold for an answer. */
export interface AnswerKind {
  /** An error page: cut short instead of refused. */
  readonly isError: boolean
  /** A stream of events, each parsed for itself; else one document. */
  readonly isStream: boolean
}

/** A text of 1 MiB fits even when it is all of three-byte characters; also the limit of one event. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
/** A stream repeats some 300 bytes of envelope for each few characters of text. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024
/** What an error page says is in its first lines. */
const MAX_ERROR_BYTES = 64 * 1024
/** Chat Completions needs less than ten levels. */
const MAX_DEPTH = 64

/** For one answer: `add` gets its bytes in order, and nothing more once it has returned something else than 'more'. */
export class AnswerGauge {
  readonly #kind: AnswerKind
  #bytes = 0
  #scan: Scan = { documentBytes: 0, depth: 0, inString: false, escaped: false }

  constructor(kind: AnswerKind) {
    this.#kind = kind
  }

  /** `enough`: the rest of an error page is not needed. */
  add(chunk: Uint8Array): 'more' | 'enough' | AnswerCut {
    this.#bytes += chunk.length
    if (this.#kind.isError) return this.#bytes > MAX_ERROR_BYTES ? 'enough' : 'more'
    if (this.#bytes > MAX_STREAM_BYTES) return tooLarge(MAX_STREAM_BYTES)
    const scan = scanJson(this.#scan, chunk, this.#kind)
    if (scan.documentBytes > MAX_DOCUMENT_BYTES) return tooLarge(MAX_DOCUMENT_BYTES)
    if (scan.depth > MAX_DEPTH) return new AnswerCut('size', `it is nested more than ${MAX_DEPTH} levels deep`)
    this.#scan = scan
    return 'more'
  }
}

/** Where in the JSON the bytes have come to. */
interface Scan {
  /** Of the event that is coming in, or of the document. */
  readonly documentBytes: number
  readonly depth: number
  readonly inString: boolean
  readonly escaped: boolean
}

/**
 * Goes on with `scan` over `chunk`, or up to where it is nested too deep. Every line of a stream is a document of its
 * own.
 */
function scanJson(scan: Scan, chunk: Uint8Array, { isStream }: AnswerKind): Scan {
  let { documentBytes, depth, inString, escaped } = scan
  for (const byte of chunk) {
    documentBytes += 1
    if (byte === NEWLINE && isStream) {
      documentBytes = 0
      depth = 0
      inString = false
      escaped = false
    } else if (inString) {
      inString = escaped || byte !== QUOTE
      escaped = !escaped && byte === BACKSLASH
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) depth += 1
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth -= 1
    if (depth > MAX_DEPTH) break
  }
  return { documentBytes, depth, inString, escaped }
}

const NEWLINE = 10
const QUOTE = 34
const BACKSLASH = 92
const OPEN_BRACKET = 91
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125

function tooLarge(maxBytes: number): AnswerCut {
  return new AnswerCut('size', `it is larger than ${maxBytes} bytes`)
}
