/** What is being written, by session: it outlives reloads, and is gone with the tab. */
import { useState } from 'react'

export function useDraft(sessionId: string): [string, (text: string) => void] {
  const key = `factotum.draft.${sessionId}`
  const [draft, setDraft] = useState(() => sessionStorage.getItem(key) ?? '')
  return [
    draft,
    (text) => {
      setDraft(text)
      try {
        if (text === '') sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, text)
      } catch {
        // Storage is full or forbidden: the text stays on the page.
      }
    },
  ]
}
