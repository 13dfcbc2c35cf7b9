/** How many bytes a value has as JSON, without making the JSON. */

/**
 * All but the characters that JSON writes as they are: control characters, '"', a backslash, and halves of pairs, which
 * may stand alone.
 */
const WRITTEN_OTHERWISE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

/**
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
