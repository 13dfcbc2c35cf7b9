/**
 * The error in what a provider answered, in whatever shape: OpenAI's `{error: {message, code, type, param}}`, a list of
 * such (Gemini), a bare text (Ollama, LM Studio), FastAPI's `detail`, `errors` (Cloudflare), a reason inside the reason
 * (Azure, OpenRouter). Nothing is judged here (`complaint.ts` does that).
 */

/** What a provider says went wrong; "" for what it does not say. */
export interface ErrorBody {
  readonly message: string
  readonly code: string
  readonly type: string
  readonly param: string
}

const MAX_DEPTH = 4

/** Any value has one; an unknown shape is quoted as it is. */
export function readErrorBody(body: unknown): ErrorBody {
  return read(body, 0)
}

/** Whether a whole answer, or an event of a stream, is an error although its status says 200. */
export function isErrorBody(body: unknown): boolean {
  if (Array.isArray(body)) return body.length > 0 && body.every(isErrorBody)
  const fields = fieldsOf(body)
  if (fields === null) return false
  const { error, detail, errors, message } = Object.fromEntries(fields)
  // An answer may have a field of its own by any of these names, but no error with fields of its own.
  if ((fieldsOf(error)?.size ?? 0) > 0) return true
  if (fields.has('choices') || fields.has('output')) return false
  if (isSaid(error) || isSaid(detail)) return true
  if (Array.isArray(errors) && errors.length > 0) return true
  return typeof message === 'string' && (fields.get('object') === 'error' || fields.get('type') === 'error')
}

/** An error document in OpenAI's shape, which the openai package reads; another text is left as it is. */
export function toOpenAiErrorBody(text: string): string {
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify({ error: readErrorBody(value) })
}

function read(body: unknown, depth: number): ErrorBody {
  if (typeof body === 'string') return { ...NOTHING, message: body }
  if (Array.isArray(body)) return body.length === 0 ? NOTHING : read(body[0], depth + 1)
  const fields = fieldsOf(body)
  if (fields === null || depth > MAX_DEPTH) return NOTHING
  const own: ErrorBody = {
    message: wordsOf(fields.get('message')) || wordsOf(fields.get('msg')),
    code: labelOf(fields, ['code', 'status_code', 'statusCode']),
    type: [labelOf(fields, ['type', 'error_type', '__type']), labelOf(fields, ['status'])].filter(Boolean).join(' '),
    param: labelOf(fields, ['param']) || placeOf(fields.get('loc')),
  }
  const inner = innerOf(fields)
  return inner === undefined ? own : merge(read(inner, depth + 1), own)
}

/** What says more about the error than the object around it. */
function innerOf(fields: ReadonlyMap<string, unknown>): unknown {
  for (const key of ['error', 'detail', 'errors', 'innererror', 'metadata', 'raw']) {
    const value = fields.get(key)
    if (isSaid(value)) return key === 'raw' && typeof value === 'string' ? (parseJson(value) ?? value) : value
  }
  const message = fields.get('message')
  return fieldsOf(message) === null ? undefined : message
}

/** Both messages are kept: a proxy's "Provider returned error" says less than what it quotes. */
function merge(inner: ErrorBody, outer: ErrorBody): ErrorBody {
  const join = (of: (body: ErrorBody) => string): string =>
    [...new Set([of(outer), of(inner)])].filter(Boolean).join(' ')
  const message = [...new Set([outer.message, inner.message])].filter(Boolean).join(': ')
  return { message, code: outer.code || inner.code, type: join(({ type }) => type), param: join(({ param }) => param) }
}

const NOTHING: ErrorBody = { message: '', code: '', type: '', param: '' }

function isSaid(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  return Array.isArray(value) ? value.length > 0 : typeof value === 'object' && value !== null
}

function wordsOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function labelOf(fields: ReadonlyMap<string, unknown>, keys: readonly string[]): string {
  const found = keys
    .map((key) => fields.get(key))
    .find((value) => typeof value === 'string' || typeof value === 'number')
  return found === undefined ? '' : String(found)
}

/** FastAPI's place of a wrong field: ["body", "response_format"]. */
function placeOf(value: unknown): string {
  return Array.isArray(value) ? value.filter((part) => typeof part === 'string').join('.') : ''
}

function fieldsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? new Map(Object.entries(value)) : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
