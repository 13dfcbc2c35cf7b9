/** What the two use cases that take a message in have in common once it is stored. */
import type { IncomingMessage, StoreResult } from '../../store/intake/accept-message.ts'
import type { IntakeContext } from '../intake-context.ts'

/** The message is committed. With `duplicate`, `messageId` is that of the first call and nothing was stored now. */
export interface MessageAccepted {
  readonly kind: 'Accepted'
  readonly messageId: string
  /** It had been accepted before, under the same idempotency key or message id. */
  readonly duplicate: boolean
  /** The message linked its sender's identity to this user. */
  readonly linkedUser?: string
}

/** Publishes a message that was just stored, and rings for its turn; does nothing for a duplicate. */
export function announceMessage(
  context: Pick<IntakeContext, 'feed' | 'doorbell'>,
  message: IncomingMessage,
  result: StoreResult,
): void {
  if (result.kind !== 'Accepted') return
  const { at, sessionId, id: messageId } = message
  const { seq, turnId, interrupted, taken } = result
  // The work first: the statement that takes the session is under way while the event is published. Its own events come
  // after its answer.
  if (interrupted !== null) context.doorbell.ring({ kind: 'cancel', sessionId, turnId: interrupted })
  if (turnId !== null && taken === null) context.doorbell.ring({ kind: 'work', sessionId })
  context.feed.published([{ type: 'MessageReceived', messageId, seq, at, sessionId, turnId }])
}
