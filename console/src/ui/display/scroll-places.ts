/** How far lists were scrolled, by step of the browser's history: who comes back to a list finds the row again. */
const places = new Map<string, number>()
/** The page may be open for weeks. */
const MAX_PLACES = 100

/** Of the list that this is the name of, on the page as it is now. */
export function scrollPlaceOf(list: string): { readonly begin: number; readonly keep: (offset: number) => void } {
  const { step = 0 } = (history.state ?? {}) as { readonly step?: number }
  const key = `${step} ${location.hash} ${list}`
  return { begin: places.get(key) ?? 0, keep: (offset) => keep(key, offset) }
}

function keep(key: string, offset: number): void {
  places.delete(key)
  places.set(key, offset)
  const [oldest = key] = places.keys()
  if (places.size > MAX_PLACES) places.delete(oldest)
}
