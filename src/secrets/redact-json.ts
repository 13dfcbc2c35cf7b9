/** Redaction of JSON from outside: every text counts, however deep, and the names of fields, too. */
import type { Redactor } from './redaction.ts'

/** What takes secrets out of a text. */
type Hiding = Pick<Redactor, 'isEmpty' | 'redact'>

/** The value without secrets; itself when it holds none. */
export function redactJson<T>(value: T, redactor: Hiding): T {
  return redactor.isEmpty ? value : (walk(value, redactor) as T)
}

function walk(value: unknown, redactor: Hiding): unknown {
  if (typeof value === 'string') return redactor.redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => walk(item, redactor))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  return isPlain(value) ? walkObject(value, redactor) : value
}

/** Dates, buffers and the like hold no texts. */
function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function walkObject(object: Record<string, unknown>, redactor: Hiding): Record<string, unknown> {
  const fields = Object.entries(object)
  const walked = fields.map(([name, value]): [string, unknown] => [redactor.redact(name), walk(value, redactor)])
  const differs = walked.some(([name, value], index) => name !== fields[index]?.[0] || value !== fields[index][1])
  return differs ? Object.fromEntries(walked) : object
}
