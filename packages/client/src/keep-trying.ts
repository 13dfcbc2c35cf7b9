import { asClientError, type ClientError } from './client-error.ts'
import { Backoff } from './pause.ts'
import type { ReadingClient } from './reading-client.ts'

/**
 * What a single call is not repeated for, and what may be over later: a proxy that speaks for a server which is being
 * replaced, an error of the server. After any other the same would be refused again, until a person changes who asks,
 * or what for, or how much.
 */
const MAY_BE_OVER = /^(BAD_RESPONSE|INTERNAL_SERVER_ERROR)$/

/** `fail` is called with each failure; `isFinal`: nothing is tried any more. */
interface Trying {
  readonly client: ReadingClient
  readonly signal: AbortSignal
  readonly fail: (error: ClientError, isFinal: boolean) => void
}

/**
 * Until `attempt` succeeds, the signal is aborted or the client closed: what a person has before them becomes right
 * again by itself. Never rejects.
 */
export async function keepTrying(attempt: () => Promise<void>, { client, signal, fail }: Trying): Promise<void> {
  const until = client.until(signal)
  const backoff = new Backoff()
  while (!until.aborted) {
    try {
      return await attempt()
    } catch (thrown) {
      if (until.aborted) return
      const error = asClientError(thrown)
      const isFinal = !error.isPassing && !MAY_BE_OVER.test(error.code)
      fail(error, isFinal)
      if (isFinal) return
      await backoff.pause(error.retryAfterMs, until)
    }
  }
}
