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
  let seen: number | undefined
  const backoff = new Backoff()
  connection.follows(1)
  try {
    while (!signal.aborted) {
      const asked = seen === undefined ? variables : { ...variables, after: seen }
      let retryAfterMs: number | null = null
      try {
        for await (const data of connection.subscribe(document, asked, signal)) {
          seen = seqOf(data) ?? seen
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

/** Only events of a session have one. */
function seqOf(data: unknown): number | undefined {
  const [event] = Object.values(data as object) as ({ readonly seq?: unknown } | null)[]
  return typeof event?.seq === 'number' ? event.seq : undefined
}
