/**
 * Who may change a message that waits, and what to say when it waits no more: what editing and withdrawing have in
 * common.
 */
import { namespaceAllows } from '../../config/access/session-access.ts'
import type { Viewer } from '../../core/identity.ts'
import { conflict, notFound, type Refusal } from '../../core/refusal.ts'
import type { MessageStatus } from '../../core/status.ts'
import { idKind } from '../../platform/id.ts'
import { findMessage, type FoundMessage } from '../../store/intake/intake-queued-message.ts'
import { accessOf } from '../authorize-session.ts'
import type { IntakeContext } from '../intake-context.ts'

/** The message was edited or withdrawn, and its event is published. */
export interface MessageUpdated {
  readonly kind: 'Updated'
  readonly messageId: string
}

/** What the caller gives, unchecked. */
export interface ChangedMessage {
  readonly id: string
  /** Of a connector: for whom. */
  readonly user?: string | null | undefined
}

/**
 * The message, if the caller may change it and it waits; its sender may, the connector that brought it, and admins.
 */
export async function findOwnMessage(
  context: IntakeContext,
  viewer: Viewer,
  { messageId, change }: WantedChange,
): Promise<FoundMessage | Refusal> {
  const found = await findReachable(context, viewer, messageId)
  if (found === null) return notFound('message', messageId)
  return refuseChange(viewer, found, { messageId, change }) ?? found
}

interface WantedChange {
  readonly messageId: string
  readonly change: 'EDIT' | 'WITHDRAW'
}

/** Null: the caller, who sees the message, may change it so now. */
export function refuseChange(
  viewer: Viewer,
  message: Omit<FoundMessage, 'sessionId'>,
  { messageId, change }: WantedChange,
): Refusal | null {
  if (!isOwn(viewer, message)) {
    return conflict(
      'NOT_ALLOWED',
      `Message "${messageId}" is another user's: only its sender or an admin may change it.`,
      messageId,
    )
  }
  if (message.status !== 'QUEUED') return notWaiting(messageId, message.status)
  if (change === 'WITHDRAW' || !message.isCall) return null
  const why = 'calls a tool, with arguments that were checked: withdraw it, and call the tool anew'
  return conflict('WRONG_TYPE', `Message "${messageId}" ${why}.`, messageId)
}

/** To be called when the message turned out not to wait. */
export async function refuseStarted(context: IntakeContext, viewer: Viewer, messageId: string): Promise<Refusal> {
  const found = await findReachable(context, viewer, messageId)
  return found === null ? notFound('message', messageId) : notWaiting(messageId, found.status)
}

function notWaiting(messageId: string, status: MessageStatus): Refusal {
  const sentence = `Message "${messageId}" ${SAYING[status]} what is new as a message of its own.`
  return conflict('NOT_WAITING', sentence, messageId)
}

const SAYING: Readonly<Record<MessageStatus, string>> = {
  QUEUED: 'is about to be worked on. Cancel its turn, or send',
  PROCESSING: 'is being worked on already. Cancel its turn, or send',
  DONE: 'has been worked on. Send',
  FAILED: 'has been worked on, without success. Send',
  CANCELLED: 'was withdrawn or cancelled. Send',
  STORED: 'is on record, without a turn. Send',
}

async function findReachable(context: IntakeContext, viewer: Viewer, messageId: string): Promise<FoundMessage | null> {
  if (idKind(messageId) !== 'message') return null
  const found = await findMessage(context.database, accessOf(viewer), messageId)
  return found !== null && namespaceAllows(viewer, found.sessionId) ? found : null
}

/** The caller sent it, is the connector that brought it, or an admin. */
export function isOwn(viewer: Viewer, message: Pick<FoundMessage, 'userName' | 'trusted' | 'client'>): boolean {
  if (viewer.role === 'ADMIN') return true
  if (viewer.user === null) return message.client === viewer.tokenName
  return message.trusted && message.userName === viewer.user.name
}
