/** One line while the server cannot be reached; asks again until it can. */
import { useEffect } from 'react'
import { run } from '../data/client.ts'
import { useTrouble } from '../data/trouble.ts'
import { ViewerDocument } from '../generated/graphql.ts'
import { ErrorLine } from '../ui/tell/error-line.tsx'

const ASK_EVERY_MS = 1500

export function TroubleLine() {
  const trouble = useTrouble()
  const isWaiting = trouble === 'unreachable' || trouble === 'overloaded'
  useEffect(() => {
    if (!isWaiting) return
    // What it comes to, `run` reports.
    const timer = setInterval(() => void run(ViewerDocument, {}).catch(() => {}), ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [isWaiting])
  if (!isWaiting) return null
  return (
    <ErrorLine tone="waiting">
      {trouble === 'unreachable'
        ? 'The server does not answer. What you see may be old; this page goes on by itself.'
        : 'The server is busy. This page goes on by itself.'}
    </ErrorLine>
  )
}
