/**
 * Which facts, learnings, questions and deliveries a turn's write is about, for the doorbell: rung after the commit, by
 * the process that committed.
 */
import type { TurnWrite } from '../core/turn-write.ts'
import type { Notification } from './notification.ts'

type RowNotification = Extract<Notification, { kind: 'row' }>

/**
 * Some of it may not have come about, when an admin decided about a learning first: a notification says what to read
 * again, no more.
 */
export function rowNotificationsOf(
  { learnings = [], curations = [], answers = [], deliveries = [] }: TurnWrite,
  { hasDeliveries }: { readonly hasDeliveries: boolean },
): RowNotification[] {
  const ids = [
    ...learnings.map(({ id }) => id),
    ...curations.flatMap(({ learningId, fact, question, replaces }) =>
      [learningId, fact?.id ?? [], question?.id ?? [], replaces?.factId ?? []].flat(),
    ),
    ...answers.flatMap(({ questionId, learningIds, learning }) =>
      [questionId, ...learningIds, learning?.id ?? []].flat(),
    ),
    // Without a webhook none of them are stored.
    ...(hasDeliveries ? deliveries.map(({ id }) => id) : []),
  ]
  return ids.map((id) => ({ kind: 'row', id }))
}
