/**
 * `sendMessage`: what a user or a connector says to the agent enters the session and waits for its turn. Called by the
 * GraphQL door. When this returns Accepted, the message, its turn and its event are committed; whatever dies next, the
 * turn will run.
 */
import { mayOpenSession } from '../../config/access/session-access.ts'
import { resolveSender } from '../../config/access/resolve-sender.ts'
import type { Config } from '../../config/config.ts'
import type { ConversationType, SessionMode } from '../../core/status.ts'
import type { DirectCall } from '../../core/tool/direct-call.ts'
import type { ClientTrace, Sender, Viewer } from '../../core/identity.ts'
import { startsTurn } from '../../core/session/route-message.ts'
import { conflict, notFound, refuseInput, type Refusal, type InputIssue } from '../../core/refusal.ts'
import { newId } from '../../platform/id.ts'
import { hideForms } from '../../secrets/forms/secret-forms.ts'
import { isGroup, reaches, type SessionAccess } from '../../store/intake/intake-access.ts'
import type { AcceptResult, IncomingMessage } from '../../store/intake/accept-message.ts'
import { openerQuota } from '../../config/schema/quotas.ts'
import { tooManySessions } from '../session/too-many-sessions.ts'
import type { MessageAccepted } from './announce-message.ts'
import { authorizeSession, noSuchSession } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { enterMessage, queueFull } from './enter-message.ts'
import { linkByMessage } from './link-by-message.ts'
import { contentIssues } from './message-content.ts'
import { hideLinkCodes, lacksLinkCode, linkCommandOf } from '../../core/text/link-command.ts'
import { messagePreview } from '../../core/text/message-preview.ts'
import { sourceOf } from '../session/session-source.ts'
import { KEY_RULE, textIssues } from '../../core/text/text-rule.ts'
import { MAX_ATTACHMENTS, uploadName } from '../../core/file/uploaded-file.ts'
import { findUploads } from '../../store/intake/intake-upload.ts'

/** What a client sends, unchecked; a field that is null counts as left out. */
export interface SendMessageInput {
  readonly sessionId: string
  readonly content: string
  /** Whom it is from; a token that is bound to a user may leave it out. */
  readonly user?: string | null | undefined
  /** It is directed at the agent; false when left out. In a session of one person with the agent every message is. */
  readonly mentioned?: boolean | null | undefined
  /** A second call with this key, by the same token in the same session, answers with the first call's message. */
  readonly idempotencyKey?: string | null | undefined
  /** How the turn works; as the session says when left out. */
  readonly mode?: SessionMode | null | undefined
  /** Names of files that were put into the session before (src/intake/file). */
  readonly attachments?: readonly string[] | null | undefined
  /** The W3C `traceparent` of the request, checked. */
  readonly trace?: ClientTrace | null
}

/** `call`: the tool that the message calls, which was checked (call-tool.ts); no field of a client's input. */
interface MessageOrCall extends SendMessageInput {
  readonly call?: DirectCall | null
}

/**
 * Opens the session if there is none and its id lies in the caller's name space. Whether the message starts a turn is
 * the rule of core/session/route-message.ts.
 */
export async function sendMessage(
  context: IntakeContext,
  viewer: Viewer,
  { call = null, ...input }: MessageOrCall,
): Promise<MessageAccepted | Refusal> {
  const { sessionId } = input
  const config = context.config.current()
  const checked = checkInput(config, viewer, input)
  if ('kind' in checked) return checked
  const { access, sender } = checked
  const command = linkCommandOf(input.content)
  if (command !== null) return linkByMessage(context, viewer, { ...input, command })
  const mayOpen = mayOpenSession(config, viewer, sessionId)
  // What follows takes its time with a session that is busy: who has no business there must not notice that it is.
  const isReached = mayOpen || access.all || (await reaches(context.database, access, sessionId))
  if (!isReached) return noSuchSession(viewer, sessionId)

  const attachments = await readAttachments(context, { sessionId, access }, input.attachments ?? [])
  if ('kind' in attachments) return attachments
  const at = context.clock.now()
  const mentioned = input.mentioned ?? false
  const startsIn = {
    DIRECT: startsTurn({ type: 'DIRECT', sender, mentioned }),
    GROUP: startsTurn({ type: 'GROUP', sender, mentioned }),
  }
  const known = context.redactorOf(sessionId).redact(hideLinkCodes(input.content))
  const content = call === null ? await forWhoReads(known, context, { sessionId, startsIn }) : hideForms(known)
  const message: IncomingMessage = {
    id: newId('message'),
    sessionId,
    role: 'USER',
    userName: sender.name,
    trusted: sender.trusted,
    mentioned,
    content,
    preview: messagePreview(content),
    client: viewer.tokenName,
    idempotencyKey:
      input.idempotencyKey == null ? null : storedKey(call === null ? 'send' : 'call', input.idempotencyKey),
    createdAt: at,
    at,
    joins: sender.trusted,
    attachments,
    call,
    trace: input.trace ?? null,
  }
  const { opener } = access
  const maxSessions = openerQuota(config, opener).sessions
  const opening = { source: sourceOf(sessionId), mayOpen, maxSessions }
  const result = await enterMessage(context, access, {
    message,
    sender,
    startsIn,
    mode: input.mode ?? null,
    ...opening,
  })
  if (result.kind === 'NoSession' && !mayOpen) return noSuchSession(viewer, sessionId)
  if (result.kind === 'NoQuota') return tooManySessions(context, { opener, maxSessions })
  if (result.kind === 'QueueFull') return queueFull(context, sessionId)
  return answer(input, result, message.id)
}

/** Where no turn takes it up, no planner needs what may be a secret in it. */
async function forWhoReads(
  content: string,
  { database }: Pick<IntakeContext, 'database'>,
  {
    sessionId,
    startsIn,
  }: { readonly sessionId: string; readonly startsIn: Readonly<Record<ConversationType, boolean>> },
): Promise<string> {
  const hidden = hideForms(content)
  if (hidden === content) return content
  const isOneForAll = startsIn.DIRECT === startsIn.GROUP
  const type = !isOneForAll && (await isGroup(database, sessionId)) ? 'GROUP' : 'DIRECT'
  return startsIn[type] ? content : hidden
}

/** One key of a client may stand for a message and for a call. */
export function storedKey(kind: 'send' | 'call', idempotencyKey: string): string {
  return `${kind}:${idempotencyKey}`
}

const NO_CODE =
  'has no code behind "/link". Have one made where you are known already, and type it as it stands. It was not stored.'

/** What depends on the input and the caller alone. */
function checkInput(
  config: Config,
  viewer: Viewer,
  { sessionId, content, user, idempotencyKey }: SendMessageInput,
): { readonly access: SessionAccess; readonly sender: Sender } | Refusal {
  const access = authorizeSession(viewer, { sessionId, path: ['sessionId'] }, ['SEND'])
  if ('kind' in access) return access
  const sender = resolveSender(config, viewer, user)
  if ('kind' in sender) return sender
  const issues = [...contentIssues(content), ...textIssues(['idempotencyKey'], idempotencyKey, KEY_RULE)]
  // It would start no turn, so nothing else could answer.
  if (!sender.trusted && lacksLinkCode(content)) issues.push({ path: ['content'], message: NO_CODE })
  return refuseInput(issues) ?? { access, sender }
}

function answer(
  input: SendMessageInput,
  result: Exclude<AcceptResult, { readonly kind: 'NoQuota' | 'QueueFull' }>,
  messageId: string,
): MessageAccepted | Refusal {
  if (result.kind === 'Accepted') return { kind: 'Accepted', messageId, duplicate: false }
  if (result.kind === 'NoSession') return notFound('session', input.sessionId)
  if (result.same) return { kind: 'Accepted', messageId: result.messageId, duplicate: true }
  return conflict(
    'KEY_REUSED',
    `The idempotency key "${input.idempotencyKey}" was used in this session for a message with other content, attachments or "mentioned", or ` +
      'from another user, or that one was edited since. It stands, and nothing was stored now; what is new needs a key of its own.',
    result.messageId,
  )
}

interface SessionReached {
  readonly sessionId: string
  readonly access: SessionAccess
}

/**
 * The files that a message names: they must have been put into its session before.
 * Each name once. To who does not reach the session it has no files.
 */
async function readAttachments(
  context: Pick<IntakeContext, 'database'>,
  place: SessionReached,
  given: readonly string[],
): Promise<readonly string[] | Refusal> {
  const names = [...new Set(given.map(uploadName))]
  return refuseInput(await issuesOf(context, place, names)) ?? names
}

async function issuesOf(
  { database }: Pick<IntakeContext, 'database'>,
  { sessionId, access }: SessionReached,
  names: readonly string[],
): Promise<InputIssue[]> {
  if (names.length === 0) return []
  if (names.length > MAX_ATTACHMENTS)
    return [{ path: ['attachments'], message: `must be at most ${MAX_ATTACHMENTS} files` }]
  const isReached = await reaches(database, access, sessionId)
  // No text of PostgreSQL holds a NUL, so no file has such a name, and asking for it would fail.
  const possible = names.filter((name) => !name.includes('\0'))
  const known = isReached ? await findUploads(database, sessionId, possible) : new Set<string>()
  return names.flatMap((name, index) =>
    known.has(name)
      ? []
      : [{ path: ['attachments', String(index)], message: 'must be the name of a file that was put into the session' }],
  )
}
