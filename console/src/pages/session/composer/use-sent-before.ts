/** ↑ in an empty message brings back what was sent here before, one after the other; ↓ leads forward again. */
import { useSessionStore } from '@factotum/client/react'
import { useRef, type KeyboardEvent } from 'react'

export interface SentBefore {
  readonly press: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  /** Begins anew: at what was sent last. */
  readonly leave: () => void
}

export function useSentBefore(sessionId: string, draft: string, setDraft: (text: string) => void): SentBefore {
  const store = useSessionStore(sessionId)
  const place = useRef<{ readonly back: number; readonly shown: string } | null>(null)
  const step = (by: number): boolean => {
    const sent = store.getSnapshot().entries.flatMap((entry) => (entry.kind === 'person' ? [entry.content] : []))
    const back = (place.current?.back ?? 0) + by
    const shown = back <= 0 ? '' : sent.at(-back)
    if (shown === undefined) return false
    place.current = back <= 0 ? null : { back, shown }
    setDraft(shown)
    return true
  }
  return {
    press: (event) => {
      const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
      const isUntouched = place.current === null ? draft === '' : draft === place.current.shown
      if (by === 0 || !isUntouched || (by < 0 && place.current === null)) return
      if (step(by)) event.preventDefault()
    },
    leave: () => {
      place.current = null
    },
  }
}
