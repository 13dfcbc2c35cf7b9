/**
 * Whether the login still holds, also on a page that follows nothing: when a person comes back to it, and now and
 * then.
 */
import { useEffect } from 'react'
import { run } from '../data/client.ts'
import { ViewerDocument } from '../generated/graphql.ts'

const CHECK_EVERY_MS = 60_000

/** What it comes to is told to `trouble` by `run`. */
export function useLoginCheck(): void {
  useEffect(() => {
    const check = (): void => {
      if (document.visibilityState === 'visible') void run(ViewerDocument, {}).catch(() => {})
    }
    const timer = setInterval(check, CHECK_EVERY_MS)
    addEventListener('focus', check)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', check)
    }
  }, [])
}
