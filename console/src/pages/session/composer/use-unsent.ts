/**
 * What was sent, and is not known to have arrived, outlives reloads as drafts do: it is shown again as not sent. Sent
 * again it has the key of the first time, by which the server takes it once.
 */
import type { Entry, PersonEntry, SessionStore } from '@factotum/client'
import { useSession, useSessionStore } from '@factotum/client/react'
import { useEffect } from 'react'

interface Unsent {
  readonly key: string
  readonly content: string
  readonly files: string[]
}

const LEFT = AbortSignal.abort(new Error('The page was left before an answer came.'))
const restored = new Set<string>()

/** Once, and before the session is read: what the page that is read then shows has arrived. */
export function restoreUnsent(store: SessionStore): void {
  if (restored.has(store.id)) return
  restored.add(store.id)
  for (const { key, content, files } of kept(store.id)) {
    const options = { idempotencyKey: key, signal: LEFT, ...(files.length > 0 && { attachments: files }) }
    store.send(content, options).catch(() => {})
  }
}

/** Keeps what is on its way from the session, for as long as the session is shown. */
export function useUnsent(sessionId: string): void {
  restoreUnsent(useSessionStore(sessionId))
  const unsent = useSession(sessionId, ({ entries }) => entries.filter(isUnsent))
  useEffect(() => {
    try {
      if (unsent.length === 0) return sessionStorage.removeItem(placeOf(sessionId))
      const all = unsent.map(({ key, content, files }): Unsent => ({ key, content, files: [...files] }))
      sessionStorage.setItem(placeOf(sessionId), JSON.stringify(all))
    } catch {
      // Storage is full or forbidden: the message stays on the page.
    }
  }, [sessionId, unsent])
}

function isUnsent(entry: Entry): entry is PersonEntry {
  return entry.kind === 'person' && entry.sending !== null
}

function kept(sessionId: string): readonly Unsent[] {
  try {
    return JSON.parse(sessionStorage.getItem(placeOf(sessionId)) ?? '[]') as readonly Unsent[]
  } catch {
    return []
  }
}

function placeOf(sessionId: string): string {
  return `factotum.unsent.${sessionId}`
}
