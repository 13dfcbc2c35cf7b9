/**
 * A JSON schema without some words of its format. What must hold: names and values that only look like a word stay, so
 * an argument may be called as a word is, and a constant may hold one.
 */
import type { JsonObject, JsonValue } from '../core/tool/json.ts'

/** Words whose values hold schemas, or lists, by names of people's own. */
const NAMED = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'dependentRequired',
])
/** Words whose values are data. */
const DATA = new Set(['const', 'enum', 'default', 'examples'])

/** A copy of `schema` without what `words` say, at every depth. */
export function withoutWords(schema: JsonObject, words: ReadonlySet<string>): JsonObject {
  const copy = (value: JsonValue, isNamed: boolean): JsonValue => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item: JsonValue) => copy(item, false))
    const kept = Object.entries(value).filter(([key]) => isNamed || !words.has(key))
    return Object.fromEntries(
      kept.map(([key, inner]) => [key, !isNamed && DATA.has(key) ? inner : copy(inner, !isNamed && NAMED.has(key))]),
    )
  }
  return copy(schema, false) as JsonObject
}
