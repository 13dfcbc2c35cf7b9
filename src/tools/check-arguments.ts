/**
 * Whether arguments fit a tool's JSON schema. The schema comes from the tool's author, the arguments from a model or a
 * user, and nothing else happens in this process meanwhile. So the schema is compiled once, its patterns are not run (a
 * pattern can take hours, and the tool checks it anyway), and what would take long, or cannot be compiled, is left to
 * the tool.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonObject, JsonValue } from '../core/tool/json.ts'
import { withoutWords } from './without-words.ts'

/** A thousand wrong arguments need no thousand sentences. */
const MAX_PROBLEMS = 5
const MAX_PROBLEM_CHARS = 300

/** Values of the schema times those of the arguments: each may be compared with each. About a third of a second. */
const MAX_COMPARISONS = 200_000
/**
 * `$schema`: a validator refuses those that it does not know. `$async`: it would answer with a promise, which no caller
 * waits for. `uniqueItems`: each item is compared with each, minutes for those of one call.
 */
const LEFT_OUT = new Set(['$schema', '$async', 'uniqueItems'])

interface Checked {
  readonly validate: ValidateFunction
  /** Values in it, with what it refers to. */
  readonly values: number
}

/** Dropped with the schema: a tool that is described anew has another one. */
const compiled = new WeakMap<JsonObject, Checked | null>()

/** Each a clause, such as: /city must be string. Empty: they fit. Never throws. */
export function argumentProblems(schema: JsonObject, args: JsonObject): readonly string[] {
  const checked = checkedBy(schema)
  if (checked === null || checked.values * countValues(args) > MAX_COMPARISONS) return []
  const { validate } = checked
  // Of a promise it would be true, too.
  const fits: unknown = validate(args)
  if (fits === true) return []
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe)
}

function checkedBy(schema: JsonObject): Checked | null {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = compile(schema)
  compiled.set(schema, made)
  return made
}

function compile(schema: JsonObject): Checked | null {
  const anyText = Object.assign(() => ({ test: () => true }), { code: '' })
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, code: { regExp: anyText } })
  try {
    const references = JSON.stringify(schema).split('"$ref"').length
    return { validate: ajv.compile(withoutWords(schema, LEFT_OUT)), values: countValues(schema) * references }
  } catch {
    return null
  }
}

function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, inner: JsonValue) => sum + countValues(inner), 1)
}

function describe({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const { additionalProperty } = params as { readonly additionalProperty?: unknown }
  const named = typeof additionalProperty === 'string' ? ` ("${additionalProperty}")` : ''
  const where = instancePath === '' ? 'the arguments' : `"${instancePath.slice(1)}"`
  return `${where} ${message}${named}`.slice(0, MAX_PROBLEM_CHARS).toWellFormed()
}
