import { pause } from './pause.ts'
import type { ReadingClient } from './reading-client.ts'

/** A page that is exchanged for another one takes its listeners away for a moment. */
const LINGER_MS = 5000

/**
 * What is live goes on after its last listener has left: `stop` is called after five seconds, or as soon as the client
 * is closed. Aborting what is given back cancels that: something listens again, or it has ended. `before`: what was
 * given back the last time, which is cancelled.
 */
export function linger(client: ReadingClient, stop: () => void, before: AbortController): AbortController {
  before.abort()
  const waiting = new AbortController()
  const { signal } = waiting
  void pause(LINGER_MS, client.until(signal)).then(() => signal.aborted || stop())
  return waiting
}
