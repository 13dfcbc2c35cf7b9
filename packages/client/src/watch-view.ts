/**
 * A session's view that stays up to date: read, then read again when an event tells that something in it may have
 * changed. Reading, rather than folding events into the last view, is what makes all tabs agree: one place computes
 * views.
 */
import { ClientError } from './client-error.ts'
import type { Connection } from './connection.ts'
import { followEvents, type SessionEvent } from './follow-events.ts'
import { pause } from './pause.ts'
import { readView, type SessionView } from './read-view.ts'

/** What changes at rest is shown at once, and a busy turn four times a second. */
const AT_MOST_EVERY_MS = 250

/** Ends and throws like followEvents. */
export async function* watchView(
  connection: Connection,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<SessionView, void, void> {
  try {
    let view = await readOrThrow(connection, sessionId, signal)
    yield view
    for await (const event of followEvents(connection, sessionId, { after: view.version, signal })) {
      if (!mayChangeView(event, view)) continue
      view = await readOrThrow(connection, sessionId, signal)
      yield view
      await pause(AT_MOST_EVERY_MS, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function readOrThrow(connection: Connection, sessionId: string, signal: AbortSignal): Promise<SessionView> {
  const view = await readView(connection, sessionId, signal)
  if (view !== null) return view
  throw new ClientError('NOT_FOUND', `There is no session "${sessionId}" that you may see.`)
}

/**
 * What came while the view was read is in it already. Pieces of output change nothing but `progress.output`: a page
 * takes them from the events.
 */
function mayChangeView(event: SessionEvent, { version }: SessionView): boolean {
  // Events up to `removedUpTo` may be gone, and have changed the view.
  const at: { readonly seq: number; readonly removedUpTo?: number | null } = event
  const isPiece = event.__typename === 'TextDeltaEvent' || event.__typename === 'TaskOutputEvent'
  return !isPiece && (at.removedUpTo ?? at.seq) > version
}
