/**
 * The JSON schema of a tool's arguments, from a server that may be hostile: models are given it with each call, and
 * arguments are checked against it in this process.
 */
import type { JsonObject, JsonValue } from '../core/tool/json.ts'
import { withoutWords } from '../tools/without-words.ts'

const MAX_BYTES = 32 * 1024
const MAX_DEPTH = 24
/** Values in it, with every reference followed. */
const MAX_VALUES = 4000
/**
 * What is left out. Patterns: one made for it takes this process for hours, and the server checks its arguments itself.
 * Names of formats and schemas: validators refuse those that they do not know. `$async`: they would answer later.
 */
const LEFT_OUT = new Set(['pattern', 'patternProperties', 'format', '$schema', '$id', '$comment', '$async'])

export type CheckedSchema =
  { readonly kind: 'ok'; readonly schema: JsonObject } | { readonly kind: 'refused'; readonly reason: string }

/** A copy that can be offered, or why there is none, as the end of a sentence: "its schema is too large". */
export function checkSchema(schema: JsonObject): CheckedSchema {
  const problem = findProblem(schema)
  if (problem !== null) return { kind: 'refused', reason: `its schema ${problem}` }
  return { kind: 'ok', schema: { ...withoutWords(schema, LEFT_OUT), type: 'object' } }
}

function findProblem(schema: JsonObject): string | null {
  if (schema['type'] !== 'object') return 'is not that of an object'
  const walk = new Walk(schema)
  // Before anything that goes through it without a limit.
  const problem = walk.enter(schema, 0)
  if (problem !== null) return problem
  return Buffer.byteLength(JSON.stringify(schema)) > MAX_BYTES ? 'is too large' : null
}

/** Goes through a schema and into what its references name, as an expansion of it would. */
class Walk {
  readonly #root: JsonObject
  readonly #open = new Set<string>()
  #values = 0

  constructor(root: JsonObject) {
    this.#root = root
  }

  enter(value: JsonValue, depth: number): string | null {
    this.#values += 1
    if (this.#values > MAX_VALUES) return 'is too large'
    if (depth > MAX_DEPTH) return 'is nested too deeply'
    if (typeof value !== 'object' || value === null) return null
    for (const [key, inner] of Object.entries(value)) {
      const problem = this.enter(inner, depth + 1) ?? this.#follow(key, inner, depth)
      if (problem !== null) return problem
    }
    return null
  }

  #follow(key: string, value: JsonValue, depth: number): string | null {
    if (key === '$dynamicRef' || key === '$recursiveRef') return 'refers to itself'
    if (key !== '$ref' || typeof value !== 'string') return null
    if (this.#open.has(value)) return 'refers to itself'
    const target = resolve(this.#root, value)
    if (target === undefined) return 'refers to something that is not there'
    this.#open.add(value)
    const problem = this.enter(target, depth + 1)
    this.#open.delete(value)
    return problem
  }
}

/** What a JSON pointer names; undefined: nothing, or something outside of the schema. */
function resolve(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let at: JsonValue | undefined = root
  for (const part of reference.slice(2).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Readonly<Record<string, JsonValue>>)[key]
  }
  return at
}
