/**
 * PostgreSQL stores neither NUL nor lone surrogates. What people send with them is refused (`isStorable`); what
 * programs and models print with them is kept with U+FFFD in their place (`toStorable`).
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** The same of all texts of a JSON value, names of fields included. Calls itself once for each level. */
export function isStorableJson(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorableJson)
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableJson(inner))
}

export function toStorable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed()
}
