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
  const left = new AbortController()
  const until = AbortSignal.any([signal, left.signal])
  let following: Promise<void> | null = null
  try {
    let view = await readOrThrow(connection, sessionId, until)
    const progress = new Progress()
    following = follow(followEvents(connection, sessionId, { after: view.version, signal: until }), progress)
    yield view
    while (await progress.beyond(view.version)) {
      view = await readOrThrow(connection, sessionId, until)
      yield view
      await pause(AT_MOST_EVERY_MS, until)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    left.abort()
    await following
  }
}

async function readOrThrow(connection: Connection, sessionId: string, signal: AbortSignal): Promise<SessionView> {
  const view = await readView(connection, sessionId, signal)
  if (view !== null) return view
  throw new ClientError('NOT_FOUND', `There is no session "${sessionId}" that you may see.`)
}

/** Never rejects: a failure ends `progress`, with its error. */
async function follow(events: AsyncIterable<SessionEvent>, progress: Progress): Promise<void> {
  try {
    for await (const event of events) {
      // Events up to `removedUpTo` may be gone, and have changed the view.
      const at: { readonly seq: number; readonly removedUpTo?: number | null } = event
      if (mayChangeView(event)) progress.tell(at.removedUpTo ?? at.seq)
    }
    progress.end(null)
  } catch (error) {
    progress.end({ error })
  }
}

/** Pieces of output change nothing but `progress.output`: a page takes them from the events. */
function mayChangeView(event: SessionEvent): boolean {
  return event.__typename !== 'TextDeltaEvent' && event.__typename !== 'TaskOutputEvent'
}

/** How far the log is known to have come. */
class Progress {
  #seq = 0
  #end: { readonly failure: { readonly error: unknown } | null } | null = null
  #wake: () => void = () => {}

  tell(seq: number): void {
    this.#seq = seq
    this.#wake()
  }

  end(failure: { readonly error: unknown } | null): void {
    this.#end = { failure }
    this.#wake()
  }

  /**
   * Resolves as soon as something after `seq` is known: true, or false when nothing will come. Rejects with what went
   * wrong.
   */
  async beyond(seq: number): Promise<boolean> {
    while (this.#end === null && this.#seq <= seq) await new Promise<void>((resolve) => (this.#wake = resolve))
    if (this.#end === null) return true
    if (this.#end.failure !== null) throw this.#end.failure.error
    return false
  }
}
