/**
 * Where the console is: path and filters both stand behind the "#", such as "#/sessions?search=report". So the server
 * serves one page whatever the address, no route of the API can collide with one of the console, and the address can
 * be shared. These are the hooks that wouter's Router takes.
 */
import { useSyncExternalStore } from 'react'

interface Place {
  readonly path: string
  readonly search: string
}

/** Where the console is now; components have `useHashPath`. */
export function readPlace(): Place {
  return placeOf(location.hash)
}

function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#/, '').split('?', 2)
  return { path: path.startsWith('/') ? path : `/${path}`, search }
}

function follow(changed: () => void): () => void {
  addEventListener('hashchange', changed)
  addEventListener('popstate', changed)
  return () => {
    removeEventListener('hashchange', changed)
    removeEventListener('popstate', changed)
  }
}

/** A part of a path, such as an id, as it was before it was encoded; one that is mistyped stays as it stands there. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What a step of the browser's history that the console made is told apart by, and where it led from. */
interface Step {
  readonly step: number
  readonly from: string
}

/** One step back, where that is a page that fits; false: it is not, and nothing was done. */
export function goBackTo(fits: (path: string) => boolean): boolean {
  const { from } = (history.state ?? {}) as Partial<Step>
  if (from === undefined || !fits(placeOf(from).path)) return false
  history.back()
  return true
}

/** As anywhere in the console, also outside components: `goTo('/sessions')`. */
export function goTo(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  const href = `#${to}`
  if (href === location.hash) return
  if (replace) history.replaceState(history.state, '', href)
  else history.pushState({ step: Date.now(), from: location.hash } satisfies Step, '', href)
  dispatchEvent(new PopStateEvent('popstate'))
}

export function useHashPath(): [string, typeof goTo] {
  return [useSyncExternalStore(follow, () => readPlace().path), goTo]
}
useHashPath.hrefs = (href: string) => `#${href}`

export function useHashSearch(): string {
  return useSyncExternalStore(follow, () => readPlace().search)
}
