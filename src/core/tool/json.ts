import { isStorable } from '../../platform/well-formed.ts'

/** JSON as values: what tools are called with and described by. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }
/** Arguments of a call, and schemas of them. */
export type JsonObject = { readonly [key: string]: JsonValue }

/** Whether PostgreSQL can store all of its texts, names of fields included. Calls itself once for each level. */
export function isStorableJson(value: JsonValue): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorableJson)
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner))
}
