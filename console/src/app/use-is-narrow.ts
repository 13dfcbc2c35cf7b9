/**
 * Whether the page is as narrow as a phone; the style sheets have the same width. It is measured in the browser's size
 * of text, as all columns are: with large texts a wide window has no place for them, either.
 */
import { useSyncExternalStore } from 'react'

const query = matchMedia('(width < 45em)')

function follow(changed: () => void): () => void {
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(follow, () => query.matches)
}
