/** One line while the server cannot be reached; asks again until it can. */
import { useEffect } from 'react'
import { run } from '../data/client.ts'
import { useTrouble } from '../data/trouble.ts'
import { ViewerDocument } from '../generated/graphql.ts'
import { ErrorLine } from '../ui/feedback/error-line.tsx'

const ASK_EVERY_MS = 1500
/** A server that is back answers the next question; the one it never got is not waited for any longer. */
const ANSWER_WITHIN_MS = 5000

/** What it comes to, `run` reports; nothing once the signal is aborted. Never rejects. */
const ask = (signal?: AbortSignal): Promise<unknown> =>
  run(ViewerDocument, {}, { signal, answerWithinMs: ANSWER_WITHIN_MS }).catch(() => {})

/** One question at a time: a server that is silent would be left with ever more of them. */
async function askUntil(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
    if (!signal.aborted) await ask(signal)
  }
}

export function TroubleLine() {
  const trouble = useTrouble()
  const isWaiting = trouble === 'unreachable' || trouble === 'overloaded'
  useEffect(() => {
    if (!isWaiting) return
    const over = new AbortController()
    void askUntil(over.signal)
    return () => over.abort()
  }, [isWaiting])
  // A socket over a network that is gone seems open for long.
  useEffect(() => {
    const askNow = (): void => void ask()
    addEventListener('offline', askNow)
    return () => removeEventListener('offline', askNow)
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
