/** The arguments of a call as a model wrote them. What must hold: what comes back can be stored, and gone through. */
import { toStorable } from '../../platform/well-formed.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** No tool wants more; what goes through arguments calls itself once for each level. */
const MAX_DEPTH = 64

/** Nothing at all stands for {}. Null: no JSON object, or one that is nested too deeply. Never throws. */
export function readArguments(written: string): JsonObject | null {
  if (written.trim() === '') return {}
  try {
    const value = storable(JSON.parse(written) as JsonValue, 0)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null
  } catch {
    return null
  }
}

/** Names of fields included. Throws for what is nested too deeply. */
function storable(value: JsonValue, depth: number): JsonValue {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value)) return value.map((inner: JsonValue) => storable(inner, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toStorable(key), storable(inner, depth + 1)]))
}
