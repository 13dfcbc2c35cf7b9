/** Structural sharing: `next`, with every part that is equal in `previous` being the very value that was there. */
export function share<Value>(previous: unknown, next: Value): Value {
  if (Object.is(previous, next)) return next
  if (typeof previous !== 'object' || typeof next !== 'object' || previous === null || next === null) return next
  if (Array.isArray(next)) return shareItems(previous, next) as Value
  return shareFields(previous as Fields, next as Fields) as Value
}

type Fields = Readonly<Record<string, unknown>>

function shareItems(previous: object, next: readonly unknown[]): readonly unknown[] {
  if (!Array.isArray(previous)) return next
  const shared = next.map((item, index) => share(previous[index], item))
  return previous.length === shared.length && shared.every((item, index) => Object.is(item, previous[index]))
    ? previous
    : shared
}

function shareFields(previous: Fields, next: Fields): Fields {
  const names = Object.keys(next)
  const shared = Object.fromEntries(names.map((name) => [name, share(previous[name], next[name])]))
  const isSame =
    names.length === Object.keys(previous).length && names.every((name) => Object.is(shared[name], previous[name]))
  return isSame ? previous : shared
}
