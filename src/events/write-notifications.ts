/**
 * Which facts, learnings, questions, deliveries and approvals a turn's write is about, for the doorbell: rung after the
 * commit, by the process that committed.
 */
import type { TurnWrite } from '../core/turn-write.ts'
import type { Notification } from './notification.ts'

/** What was committed, and where. */
interface CommittedWrite {
  readonly sessionId: string
  readonly write: TurnWrite
  /** Without a webhook no delivery is stored. */
  readonly hasDeliveries: boolean
}

/**
 * Some of it may not have come about, when an admin decided about a learning first: a notification says what to read
 * again, no more.
 */
export function notificationsOf({ sessionId, write, hasDeliveries }: CommittedWrite): Notification[] {
  const { learnings = [], curations = [], answers = [], deliveries = [] } = write
  const { approvals = [], settledApprovals = [] } = write
  const rows = [
    ...learnings.map(({ id }) => id),
    ...curations.flatMap(({ learningId, fact, question, replaces }) =>
      [learningId, fact?.id ?? [], question?.id ?? [], replaces?.factId ?? []].flat(),
    ),
    ...answers.flatMap(({ questionId, learningIds, learning }) =>
      [questionId, ...learningIds, learning?.id ?? []].flat(),
    ),
    ...(hasDeliveries ? deliveries.map(({ id }) => id) : []),
  ]
  return [
    ...rows.map((id): Notification => ({ kind: 'row', id })),
    ...[...approvals, ...settledApprovals].map(({ id }): Notification => ({ kind: 'approval', id, sessionId })),
  ]
}
