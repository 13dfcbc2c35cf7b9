/**
 * `editQueuedMessage`: replaces what a message says, as long as its turn has not started. Called by the GraphQL door.
 */
import { actFor } from '../../config/access/act-for.ts'
import type { Viewer } from '../../core/identity.ts'
import { refuseInput, type Refusal } from '../../core/refusal.ts'
import { editWaiting } from '../../store/intake/intake-queued-message.ts'
import { accessOf } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { contentIssues } from './message-content.ts'
import { hideLinkCodes } from '../../core/text/link-command.ts'
import { messagePreview } from '../../core/text/message-preview.ts'
import { findOwnMessage, refuseStarted, type ChangedMessage, type MessageUpdated } from './queued-message.ts'

/**
 * Refuses with InvalidInput for the content, NotFound for a message that the caller cannot see, Conflict when it is not
 * theirs or no longer waits. Each call that succeeds makes a MessageUpdated event, also with the same content.
 */
export async function editQueuedMessage(
  context: IntakeContext,
  caller: Viewer,
  { id: messageId, user, ...input }: ChangedMessage & { readonly content: string },
): Promise<MessageUpdated | Refusal> {
  const viewer = actFor(context.config.current(), caller, user)
  if ('kind' in viewer) return viewer
  const refusal = refuseInput(contentIssues(input.content))
  if (refusal !== null) return refusal
  const found = await findOwnMessage(context, viewer, { messageId, change: 'EDIT' })
  if ('kind' in found) return found
  const { sessionId } = found
  const content = context.redactorOf(sessionId).redact(hideLinkCodes(input.content))
  const at = context.clock.now()
  const preview = messagePreview(content)
  const change = await editWaiting(
    context.database,
    { messageId, sessionId, at, actor: accessOf(viewer) },
    { content, preview },
  )
  if (change === null) return await refuseStarted(context, viewer, messageId)
  context.feed.published([{ type: 'MessageUpdated', messageId, at, sessionId, ...change }])
  return { kind: 'Updated', messageId }
}
