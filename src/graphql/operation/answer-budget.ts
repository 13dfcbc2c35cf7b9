/**
 * How large the answer of one operation may become. Long values are counted while they are resolved, so that what is
 * too large is given up before it is whole; the finished result is measured before it is serialised, names of fields
 * and all.
 */
import { GraphQLError, type ExecutionResult } from 'graphql'

const MIB = 1024 * 1024

export class AnswerBudget {
  readonly #maxBytes: number
  readonly #abort = new AbortController()
  #bytes = 0
  /** Asked for each value of an answer; to ask the signal takes longer. */
  #isExceeded = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Aborts the execution when there is too much. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isExceeded(): boolean {
    return this.#isExceeded
  }

  /** Returns the value. Throws, and aborts the execution, when it is too much with all that was counted before. */
  count<Value>(value: Value): Value {
    if (!this.#isExceeded) {
      this.#bytes += typeof value === 'string' ? value.length : jsonBytes(value, this.#maxBytes - this.#bytes)
      if (this.#bytes > this.#maxBytes) {
        this.#isExceeded = true
        this.#abort.abort(tooLarge(this.#maxBytes, []))
      }
    }
    this.throwIfExceeded()
    return value
  }

  throwIfExceeded(): void {
    if (this.#isExceeded) this.#abort.signal.throwIfAborted()
  }

  /** What an execution that was aborted comes to. */
  get refusal(): ExecutionResult {
    return refusalOf(this.#maxBytes)
  }
}

/** What yoga writes in place of `JSON.stringify(result)`; JSON itself leaves it out. */
interface Written extends ExecutionResult {
  readonly stringify: () => string
}

/**
 * As fitResult, of a result whose long values were counted: it is made JSON at once, which serves for writing it, too.
 */
export function writeResult(result: ExecutionResult, maxBytes: number): ExecutionResult {
  // Yoga takes from errors what is for HTTP alone.
  if (result.errors !== undefined) return fitResult(result, maxBytes)
  const text = JSON.stringify(result)
  if (text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes))
    return refusalOf(maxBytes)
  const written: Written = { ...result, stringify: () => text }
  return written
}

/** The result as it is, or, when it is larger than that as JSON, nothing but the error that says so. */
export function fitResult(result: ExecutionResult, maxBytes: number): ExecutionResult {
  return jsonBytes(result, maxBytes) > maxBytes ? refusalOf(maxBytes) : result
}

function refusalOf(maxBytes: number): ExecutionResult {
  return { data: null, errors: [tooLarge(maxBytes)] }
}

/** With a path it is passed on as it is, however many fields meet it: it never gets into an answer. */
function tooLarge(maxBytes: number, path?: []): GraphQLError {
  const message =
    `The answer is larger than ${maxBytes / MIB} MiB. Ask for smaller pages ("first"), or for fewer long texts at once. ` +
    'What a mutation had changed by then stays changed.'
  return new GraphQLError(message, { path, extensions: { code: 'RESPONSE_TOO_LARGE' } })
}

/**
 * All but the characters that JSON writes as they are: control characters, '"', a backslash, and halves of pairs, which
 * may stand alone.
 */
const WRITTEN_OTHERWISE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/**
 * How many bytes a value has as JSON, without making the JSON.
 * Bytes of `JSON.stringify(value)` in UTF-8; stops counting soon after `enough`. `value` is what JSON can hold, or has
 * `toJSON`.
 */
export function jsonBytes(value: unknown, enough: number): number {
  switch (typeof value) {
    case 'string':
      return stringBytes(value)
    case 'number':
      return Number.isFinite(value) ? String(value).length : 4
    case 'boolean':
      return value ? 4 : 5
    case 'object':
      if (value === null) return 4
      if (Array.isArray(value)) return listBytes(value, enough)
      return 'toJSON' in value && typeof value.toJSON === 'function'
        ? jsonBytes((value as { toJSON(): unknown }).toJSON(), enough)
        : objectBytes(value, enough)
    default:
      // Nothing: JSON leaves it out, or writes null in a list.
      return 4
  }
}

function stringBytes(text: string): number {
  return WRITTEN_OTHERWISE.test(text) ? Buffer.byteLength(JSON.stringify(text)) : Buffer.byteLength(text) + 2
}

function listBytes(list: readonly unknown[], enough: number): number {
  let bytes = 2 + Math.max(0, list.length - 1)
  for (const item of list) {
    if (bytes > enough) break
    bytes += jsonBytes(item, enough - bytes)
  }
  return bytes
}

function objectBytes(object: object, enough: number): number {
  let bytes = 1
  for (const [key, value] of Object.entries(object)) {
    if (bytes > enough) break
    if (value !== undefined) bytes += stringBytes(key) + 2 + jsonBytes(value, enough - bytes)
  }
  return Math.max(2, bytes)
}
