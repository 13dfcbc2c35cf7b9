/**
 * "/link" and a code as a message: a connector that only passes on what people write links them, too. The code is in no
 * row: what stands in the conversation says that a channel was to be linked, and starts no turn.
 */
import { mayOpenSession } from '../../config/access/session-access.ts'
import type { Viewer } from '../../core/identity.ts'
import { invalidInput, type Refusal } from '../../core/refusal.ts'
import { LINK_MESSAGE, type LinkCommand } from '../../core/text/link-command.ts'
import { isThere } from '../../store/intake/intake-access.ts'
import { noSuchSession } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import type { MessageAccepted } from './announce-message.ts'
import { appendMessage } from './append-message.ts'

/** What `sendMessage` was given, as far as it matters here. */
export interface LinkMessage {
  readonly sessionId: string
  readonly user?: string | null | undefined
  readonly idempotencyKey?: string | null | undefined
  readonly command: LinkCommand
}

/** The sender and the session were checked. With the same idempotency key it may be repeated, as every message. */
export async function linkByMessage(
  context: IntakeContext,
  viewer: Viewer,
  { sessionId, user, idempotencyKey, command }: LinkMessage,
): Promise<MessageAccepted | Refusal> {
  if (viewer.user !== null || user == null)
    return invalidInput(
      ['content'],
      'Write this in the other channel, the one that is to be linked. It was not stored.',
    )
  const isOpen =
    mayOpenSession(context.config.current(), viewer, sessionId) || (await isThere(context.database, sessionId))
  if (!isOpen) return noSuchSession(viewer, sessionId)
  const linked = await context.redeemLinkCode(viewer, { ...command, user })
  if (linked.kind !== 'IdentityLinked') return linked
  const stored = await appendMessage(context, viewer, {
    sessionId,
    content: LINK_MESSAGE,
    user,
    messageId: idempotencyKey,
  })
  return stored.kind === 'Accepted' ? { ...stored, linkedUser: linked.userName } : stored
}
