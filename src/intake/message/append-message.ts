/**
 * `appendMessage`: a message is put on record without asking the agent for anything, such as the history of a
 * conversation that went on elsewhere. Called by the GraphQL door. Its place is where it comes in: what is dated back
 * keeps its date, and stands behind what was there before it, in lists, in the log and for the planner, who is given
 * the date.
 */
import { resolveSender } from '../../config/access/resolve-sender.ts'
import type { Viewer } from '../../core/identity.ts'
import { conflict, invalidInput, notFound, refuseInput, type InputIssue, type Refusal } from '../../core/refusal.ts'
import type { MessageRole } from '../../core/status.ts'
import { newId } from '../../platform/id.ts'
import { hideForms } from '../../secrets/forms/secret-forms.ts'
import { storeMessage, type IncomingMessage } from '../../store/intake/accept-message.ts'
import { mayOpenSession } from '../../config/access/session-access.ts'
import { openPlain } from '../session/open-plain.ts'
import { announceMessage, type MessageAccepted } from './announce-message.ts'
import { authorizeSession, refuseNotOpener } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { contentIssues } from './message-content.ts'
import { hideLinkCodes } from '../../core/text/link-command.ts'
import { messagePreview } from '../../core/text/message-preview.ts'
import { KEY_RULE, textIssues } from '../../core/text/text-rule.ts'

/** What a client appends, unchecked; a field that is null counts as left out. */
export interface AppendMessageInput {
  readonly sessionId: string
  readonly content: string
  /** Whom it is from. Needed for role USER when the token is a connector. */
  readonly user?: string | null | undefined
  /** USER when left out. */
  readonly role?: MessageRole | null | undefined
  /** The client's own id of the message: appending it again changes nothing. */
  readonly messageId?: string | null | undefined
  /** When it was written, if not now. */
  readonly createdAt?: Date | null | undefined
}

/** How far a client's clock may be ahead of ours. */
const MAX_AHEAD_MS = 60_000

/** Opens the session if there is none and its id lies in the caller's name space, as `sendMessage` does. */
export async function appendMessage(
  context: IntakeContext,
  viewer: Viewer,
  input: AppendMessageInput,
): Promise<MessageAccepted | Refusal> {
  const { sessionId } = input
  const author = resolveAuthor(context, viewer, input)
  if ('kind' in author) return author
  const acts = [author.role === 'USER' ? 'APPEND' : 'APPEND_AS_AGENT'] as const
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, acts)
  if ('kind' in access) return access
  const at = context.clock.now()
  const issues = [
    ...contentIssues(input.content),
    ...textIssues(['messageId'], input.messageId, KEY_RULE),
    ...createdAtIssues(input.createdAt, at),
  ]
  const refusal = refuseInput(issues)
  if (refusal !== null) return refusal

  // No turn takes it up, so nothing else finds what may be a secret in it.
  const content = hideForms(context.redactorOf(sessionId).redact(hideLinkCodes(input.content)))
  const message: IncomingMessage = {
    id: newId('message'),
    sessionId,
    ...author,
    mentioned: false,
    content,
    preview: messagePreview(content),
    client: viewer.tokenName,
    idempotencyKey: input.messageId == null ? null : `append:${input.messageId}`,
    createdAt: input.createdAt ?? at,
    at,
    attachments: [],
    call: null,
  }
  let result = await storeMessage(context.database, access, message)
  if (result.kind === 'NoSession' && mayOpenSession(context.config.current(), viewer, sessionId)) {
    const refused = await openPlain(context, viewer, { sessionId, access })
    if (refused !== null) return refused
    result = await storeMessage(context.database, access, message)
  }
  announceMessage(context, message, result)
  if (result.kind === 'Accepted') return { kind: 'Accepted', messageId: message.id, duplicate: false }
  if (result.kind === 'NotOpener') return refuseNotOpener(sessionId, acts)
  if (result.kind !== 'Duplicate') return notFound('session', sessionId)
  if (result.same) return { kind: 'Accepted', messageId: result.messageId, duplicate: true }
  return conflict(
    'KEY_REUSED',
    `The message id "${input.messageId}" was used in this session for a message with other content, role or user.`,
    result.messageId,
  )
}

type Author = Pick<IncomingMessage, 'role' | 'userName' | 'trusted' | 'joins'>

/**
 * People speak for themselves alone. What the assistant or the system said is believed by all who read the session, so
 * it is a connector's own word (it has no user) or an admin's, who stays named as who put it there.
 */
function resolveAuthor(context: IntakeContext, viewer: Viewer, input: AppendMessageInput): Author | Refusal {
  const role = input.role ?? 'USER'
  if (role !== 'USER' && viewer.user === null && input.user == null) {
    return { role, userName: null, trusted: true, joins: false }
  }
  const sender = resolveSender(context.config.current(), viewer, input.user)
  if ('kind' in sender) return sender
  if (role === 'USER') return { role, userName: sender.name, trusted: sender.trusted, joins: sender.trusted }
  if (sender.trusted && sender.role === 'ADMIN') return { role, userName: sender.name, trusted: true, joins: false }
  return invalidInput(
    ['role'],
    `Only an admin may say what the ${role.toLowerCase()} said, or a connector in its own name, which leaves out "user". Leave ` +
      'out "role" to speak for the user.',
  )
}

function createdAtIssues(createdAt: Date | null | undefined, now: Date): InputIssue[] {
  if (createdAt == null) return []
  const ms = createdAt.getTime()
  if (ms >= 0 && ms <= now.getTime() + MAX_AHEAD_MS) return []
  return [{ path: ['createdAt'], message: `must lie between 1970 and now (${now.toISOString()})` }]
}
