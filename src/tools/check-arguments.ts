/**
 * Whether arguments fit a tool's JSON schema. The schema comes from the tool's author: it is compiled once, its
 * patterns are not run (a pattern can take hours, and the tool checks it anyway), and one that cannot be compiled
 * checks nothing.
 */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonObject } from '../core/tool/json.ts'
import { withoutWords } from './without-words.ts'

/** A thousand wrong arguments need no thousand sentences. */
const MAX_PROBLEMS = 5
const MAX_PROBLEM_CHARS = 300

/**
 * `$schema`: a validator refuses those that it does not know. `$async`: it would answer with a promise, which no caller
 * waits for.
 */
const LEFT_OUT = new Set(['$schema', '$async'])

/** Dropped with the schema: a tool that is described anew has another one. */
const compiled = new WeakMap<JsonObject, ValidateFunction | null>()

/** Each a clause, such as: /city must be string. Empty: they fit. Never throws. */
export function argumentProblems(schema: JsonObject, args: JsonObject): readonly string[] {
  const validate = validatorOf(schema)
  if (validate === null) return []
  // Of a promise it would be true, too.
  const fits: unknown = validate(args)
  if (fits === true) return []
  return (validate.errors ?? []).slice(0, MAX_PROBLEMS).map(describe)
}

function validatorOf(schema: JsonObject): ValidateFunction | null {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = compile(schema)
  compiled.set(schema, made)
  return made
}

function compile(schema: JsonObject): ValidateFunction | null {
  const anyText = Object.assign(() => ({ test: () => true }), { code: '' })
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, code: { regExp: anyText } })
  try {
    return ajv.compile(withoutWords(schema, LEFT_OUT))
  } catch {
    return null
  }
}

function describe({ instancePath, message = 'does not fit', params }: ErrorObject): string {
  const { additionalProperty } = params as { readonly additionalProperty?: unknown }
  const named = typeof additionalProperty === 'string' ? ` ("${additionalProperty}")` : ''
  const where = instancePath === '' ? 'the arguments' : `"${instancePath.slice(1)}"`
  return `${where} ${message}${named}`.slice(0, MAX_PROBLEM_CHARS).toWellFormed()
}
