/**
 * How large the answer of one operation may become. Long values are counted while they are resolved, so that what is
 * too large is given up before it is whole; the finished result is measured before it is serialised, names of fields
 * and all.
 */
import { GraphQLError, type ExecutionResult } from 'graphql'
import { jsonBytes } from './json-bytes.ts'

const MIB = 1024 * 1024

export class AnswerBudget {
  readonly #maxBytes: number
  readonly #abort = new AbortController()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Aborts the execution when there is too much. */
  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isExceeded(): boolean {
    return this.#abort.signal.aborted
  }

  /** Returns the value. Throws, and aborts the execution, when it is too much with all that was counted before. */
  count<Value>(value: Value): Value {
    if (!this.isExceeded) {
      this.#bytes += typeof value === 'string' ? value.length : jsonBytes(value, this.#maxBytes - this.#bytes)
      if (this.#bytes > this.#maxBytes) this.#abort.abort(tooLarge(this.#maxBytes, []))
    }
    this.#abort.signal.throwIfAborted()
    return value
  }

  /** What an execution that was aborted comes to. */
  get refusal(): ExecutionResult {
    return refusalOf(this.#maxBytes)
  }
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
