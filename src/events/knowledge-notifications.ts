/**
 * Which facts and learnings a turn's write is about, for the doorbell: rung after the commit, by the process that
 * committed.
 */
import type { TurnWrite } from '../core/turn-write.ts'
import type { Notification } from './notification.ts'

type KnowledgeNotification = Extract<Notification, { kind: 'knowledge' }>

/**
 * Some of it may not have come about, when an admin decided about a learning first: a notification says what to read
 * again, no more.
 */
export function knowledgeNotificationsOf({ learnings = [], curations = [] }: TurnWrite): KnowledgeNotification[] {
  const ids = [
    ...learnings.map(({ id }) => id),
    ...curations.flatMap(({ learningId, fact }) => [learningId, ...(fact === null ? [] : [fact.id])]),
  ]
  return ids.map((id) => ({ kind: 'knowledge', id }))
}
