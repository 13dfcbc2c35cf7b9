/**
 * A subscription that outlives its connections. Of a session's events nothing is missing and nothing comes twice: each
 * time it is sent, `after` is the seq of the last event. All others begin with what a page needs after an interruption.
 */
import { ClientError } from './client-error.ts'
import type { Connection, TypedDocument } from './connection.ts'
import { Backoff } from './pause.ts'

/** `variables`: as it is sent first; `after` is added when it is sent again. `signal`: ends it. */
export interface Subscription<Data, Variables> {
  readonly document: TypedDocument<Data, Variables>
  readonly variables: Variables
  readonly signal: AbortSignal
}

/**
 * Ends when the signal is aborted. Throws ClientError when coming back would not help: no rights (any more), no such
 * session, a document that the server does not take.
 */
export async function* follow<Data, Variables extends object>(
  connection: Connection,
  { document, variables, signal }: Subscription<Data, Variables>,
): AsyncGenerator<Data, void, void> {
  // Changed in place: graphql-ws sends it again by itself where a socket was closed as if it were over.
  const asked: Variables & { after?: unknown } = { ...variables }
  const backoff = new Backoff()
  connection.follows(1)
  try {
    while (!signal.aborted) {
      let retryAfterMs: number | null = null
      try {
        for await (const data of connection.subscribe(document, asked, signal)) {
          // Only events of a session have one.
          const [event] = Object.values(data as object) as ({ readonly seq?: unknown } | null)[]
          if (typeof event?.seq === 'number') asked.after = event.seq
          yield data
        }
      } catch (error) {
        if (!(error instanceof ClientError) || !error.isPassing) throw error
        retryAfterMs = error.retryAfterMs
      }
      await backoff.pause(retryAfterMs, signal)
    }
  } finally {
    connection.follows(-1)
  }
}
