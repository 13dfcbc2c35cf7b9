/**
 * `retryTurn`: what a turn that failed or was cancelled was asked is asked once more, as a message of its own, so that
 * queue, share, busy policy and rights hold for it as for any other. Called by the GraphQL door. It runs with the
 * rights of the message's user, so those who may ask for it are those who may change the message.
 */
import { actFor } from '../../config/access/act-for.ts'
import { currentUser } from '../../config/access/current-user.ts'
import { namespaceAllows } from '../../config/access/session-access.ts'
import type { ClientTrace, User, Viewer } from '../../core/identity.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import type { TurnStatus } from '../../core/status.ts'
import { ERASED } from '../../core/text/erased.ts'
import { redactJson } from '../../secrets/redact-json.ts'
import { messagePreview } from '../../core/text/message-preview.ts'
import { idKind, newId } from '../../platform/id.ts'
import { must } from '../../platform/must.ts'
import type { IncomingMessage } from '../../store/intake/accept-message.ts'
import { findTurnToRetry, type TurnToRetry } from '../../store/intake/intake-retry-turn.ts'
import { accessOf } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'
import { sourceOf } from '../session/session-source.ts'
import { enterMessage, queueFull } from './enter-message.ts'
import { isOwn } from './queued-message.ts'

/** The second try is committed. */
export interface TurnRetried {
  readonly kind: 'Retried'
  readonly turnId: string
  /** It had been asked for before. */
  readonly duplicate: boolean
}

/** What is to be tried again, unchecked. */
interface RetryTurnInput {
  readonly turnId: string
  /** Of a connector: for whom. */
  readonly user?: string | null | undefined
  readonly trace?: ClientTrace | null
}

/**
 * Of calls for the same turn, each is given the one second try, however many come at once and from whichever users.
 * The participants stay who they are.
 */
export async function retryTurn(
  context: IntakeContext,
  caller: Viewer,
  { turnId, user: named, trace = null }: RetryTurnInput,
): Promise<TurnRetried | Refusal> {
  const viewer = actFor(context.config.current(), caller, named)
  if ('kind' in viewer) return viewer
  const access = accessOf(viewer)
  const found = await find(context, viewer, turnId)
  if (found === null) return notFound('turn', turnId)
  const user = userOfRetry(context, viewer, { ...found, turnId })
  if ('kind' in user) return user
  if (found.retriedAs !== null) return { kind: 'Retried', turnId: found.retriedAs, duplicate: true }

  const { sessionId } = found
  const message = { ...sayAgain(context, { ...found, turnId, userName: user.name }), trace }
  const result = await enterMessage(context, access, {
    message,
    sender: { trusted: true, ...user },
    mode: found.mode,
    // The message had its turn before.
    startsIn: { DIRECT: true, GROUP: true },
    source: sourceOf(sessionId),
    mayOpen: false,
    maxSessions: null,
    retry: { of: turnId, by: access },
  })
  if (result.kind === 'QueueFull') return queueFull(context, sessionId)
  if (result.kind === 'Accepted')
    return { kind: 'Retried', turnId: must(result.turnId, 'a retried message has a turn'), duplicate: false }
  // Another call was the first to commit; or the session is gone.
  const first = result.kind === 'Duplicate' ? (await find(context, viewer, turnId))?.retriedAs : null
  return first == null ? notFound('turn', turnId) : { kind: 'Retried', turnId: first, duplicate: true }
}

async function find(context: IntakeContext, viewer: Viewer, turnId: string): Promise<TurnToRetry | null> {
  if (idKind(turnId) !== 'turn') return null
  const found = await findTurnToRetry(context.database, accessOf(viewer), turnId)
  return found !== null && namespaceAllows(viewer, found.sessionId) ? found : null
}

type TriedTurn = Pick<TurnToRetry, 'status' | 'userName' | 'trusted' | 'client'> & { readonly turnId: string }

/** As whom the second try of a turn that the caller sees would run; or why there can be none. */
export function userOfRetry(
  { config }: Pick<IntakeContext, 'config'>,
  viewer: Viewer,
  { turnId, ...turn }: TriedTurn,
): User | Refusal {
  if (!isOwn(viewer, turn)) {
    return conflict(
      'NOT_ALLOWED',
      `Turn "${turnId}" is of another user's message: only its sender or an admin may have it tried again.`,
      turnId,
    )
  }
  const reason = STANDS_AGAINST[turn.status]
  if (reason !== null) return conflict('NOT_FAILED', `Turn "${turnId}" ${reason}.`, turnId)
  if (turn.userName === ERASED) {
    return conflict(
      'NOTHING_TO_DO',
      `What turn "${turnId}" was asked has been erased: there is nothing to ask.`,
      turnId,
    )
  }
  const user = turn.userName === null ? null : currentUser(config.current(), turn.userName)
  return user ?? conflict('USER_UNKNOWN', `The user "${turn.userName}", as whom it ran, is no longer known.`, turnId)
}

const STANDS_AGAINST: Readonly<Record<TurnStatus, string | null>> = {
  QUEUED: 'has not begun: it waits',
  JOINED: 'is a part of another turn, which has not ended',
  RUNNING: 'still runs; cancel it first',
  AWAITING_APPROVAL: 'waits for an approval; decide it, or cancel the turn',
  DONE: 'has done its work; send a new message to have it done again',
  FAILED: null,
  CANCELLED: null,
}

function sayAgain(
  context: IntakeContext,
  { turnId, ...said }: TurnToRetry & { readonly turnId: string; readonly userName: string },
): IncomingMessage {
  const { sessionId, userName, mentioned, client, attachments } = said
  const redactor = context.redactorOf(sessionId)
  const content = redactor.redact(said.content)
  const at = context.clock.now()
  return {
    id: newId('message'),
    sessionId,
    role: 'USER',
    userName,
    trusted: true,
    mentioned,
    content,
    preview: messagePreview(content),
    client,
    // Not from a client: of all who ask, one is the first.
    idempotencyKey: `retry:${turnId}`,
    createdAt: at,
    at,
    joins: false,
    attachments,
    call: redactJson(said.call, redactor),
  }
}
