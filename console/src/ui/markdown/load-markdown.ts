/** Loads what parses Markdown, once, when the first text is to be shown. */
import { useSyncExternalStore } from 'react'

interface Markdown {
  readonly renderMarkdown: (text: string) => DocumentFragment
  readonly blocksOf: (text: string) => readonly string[]
}

let loaded: Markdown | null = null
let loading: Promise<void> | null = null
const listeners = new Set<() => void>()

function follow(changed: () => void): () => void {
  listeners.add(changed)
  loading ??= import('./render-markdown.ts').then(
    (module) => {
      loaded = module
      for (const listener of listeners) listener()
    },
    () => {
      // The server is away, say: what asks next tries again, and until then the text is shown as it is.
      loading = null
    },
  )
  return () => listeners.delete(changed)
}

/** Null until it is there. */
export function useMarkdown(): Markdown | null {
  return useSyncExternalStore(follow, () => loaded)
}
