/** Whether the page is as narrow as a phone; the style sheets have the same width. */
import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 719px)')

function follow(changed: () => void): () => void {
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}

export function useIsNarrow(): boolean {
  return useSyncExternalStore(follow, () => query.matches)
}
