/** One line while the server cannot be reached; asks again until it can. */
import { useEffect } from 'react'
import { run } from '../data/client.ts'
import { useTrouble } from '../data/trouble.ts'
import { ViewerDocument } from '../generated/graphql.ts'
import { ErrorLine } from '../ui/tell/error-line.tsx'

const ASK_EVERY_MS = 1500

/** What it comes to, `run` reports. */
const ask = (): void => void run(ViewerDocument, {}).catch(() => {})

export function TroubleLine() {
  const trouble = useTrouble()
  const isWaiting = trouble === 'unreachable' || trouble === 'overloaded'
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(ask, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [isWaiting])
  // A socket over a network that is gone seems open for long.
  useEffect(() => {
    addEventListener('offline', ask)
    return () => removeEventListener('offline', ask)
  }, [])
  if (!isWaiting) return null
  return (
    <ErrorLine tone="waiting">
      {trouble === 'unreachable'
        ? 'The server does not answer. What you see may be old; this page goes on by itself.'
        : 'The server is busy. This page goes on by itself.'}
    </ErrorLine>
  )
}
