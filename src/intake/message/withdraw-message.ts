/**
 * `withdrawMessage`: takes a message out of the queue, as long as its turn has not started. Called by the GraphQL door.
 */
import { actFor } from '../../config/access/act-for.ts'
import type { Viewer } from '../../core/identity.ts'
import type { Refusal } from '../../core/refusal.ts'
import type { SessionEventBody } from '../../core/session-event.ts'
import { NO_USAGE } from '../../core/usage.ts'
import { withdrawWaiting, type QueuedMessage } from '../../store/intake/intake-queued-message.ts'
import { accessOf } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { findOwnMessage, refuseStarted, type ChangedMessage, type MessageUpdated } from './queued-message.ts'

/**
 * Ends the message's turn as CANCELLED before it starts. Refuses with NotFound for a message that the caller cannot
 * see, Conflict when it is not theirs or no longer waits: a repeat is refused so.
 */
export async function withdrawMessage(
  context: IntakeContext,
  caller: Viewer,
  { id: messageId, user }: ChangedMessage,
): Promise<MessageUpdated | Refusal> {
  const viewer = actFor(context.config.current(), caller, user)
  if ('kind' in viewer) return viewer
  const found = await findOwnMessage(context, viewer, { messageId, change: 'WITHDRAW' })
  if ('kind' in found) return found
  const withdrawn = await withdraw(context, { messageId, sessionId: found.sessionId, actor: accessOf(viewer) })
  return withdrawn ? { kind: 'Updated', messageId } : await refuseStarted(context, viewer, messageId)
}

/** Who may is decided before. False: it no longer waits. */
export async function withdraw(
  { database, clock, feed }: Pick<IntakeContext, 'database' | 'clock' | 'feed'>,
  message: Omit<QueuedMessage, 'at'>,
): Promise<boolean> {
  const { messageId, sessionId } = message
  const at = clock.now()
  const bodies = eventsOf(messageId)
  const change = await withdrawWaiting(database, { ...message, at }, bodies)
  if (change === null) return false
  const first = change.seq - bodies.length + 1
  const { turnId } = change
  feed.published(bodies.map((body, index) => ({ ...body, seq: first + index, at, sessionId, turnId })))
  return true
}

/** The turn ends here, so its last two events are those of every turn: a subscriber that waits for the end gets it. */
function eventsOf(messageId: string): readonly SessionEventBody[] {
  return [
    { type: 'MessageUpdated', messageId },
    { type: 'PipelineStep', step: 'COMPLETE', detail: null },
    { type: 'TurnCompleted', status: 'CANCELLED', commandsHandled: [], durationMs: 0, usage: NO_USAGE, failure: null },
  ]
}
