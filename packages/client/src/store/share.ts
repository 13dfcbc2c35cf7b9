/** Structural sharing: `next`, with every part that is equal in `previous` being the very value that was there. */
export function share<Value>(previous: unknown, next: Value): Value {
  if (Object.is(previous, next)) return next
  if (typeof previous !== 'object' || typeof next !== 'object' || previous === null || next === null) return next
  // What makes an error one, and its message, are none of its fields.
  if (next instanceof Error) return next
  return shareFields(previous as Fields, next as Fields) as Value
}

type Fields = Readonly<Record<string, unknown>>

/** The items of a list are its fields. */
function shareFields(previous: Fields, next: Fields): unknown {
  const names = Object.keys(next)
  const parts = names.map((name) => share(previous[name], next[name]))
  const isSame =
    Array.isArray(previous) === Array.isArray(next) &&
    names.length === Object.keys(previous).length &&
    names.every((name, index) => Object.is(parts[index], previous[name]))
  if (isSame) return previous
  return Array.isArray(next) ? parts : Object.fromEntries(names.map((name, index) => [name, parts[index]]))
}
