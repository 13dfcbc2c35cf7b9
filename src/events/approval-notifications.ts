/** Which approvals a turn's write is about, for the doorbell: rung after the commit, by the process that committed. */
import type { TurnWrite } from '../core/turn-write.ts'
import type { Notification } from './notification.ts'

/** One for each approval that the write asks for or settles; none when it has neither. */
export function approvalNotificationsOf(
  sessionId: string,
  { approvals = [], settledApprovals = [] }: TurnWrite,
): Notification[] {
  return [...approvals, ...settledApprovals].map(({ id }) => ({ kind: 'approval', id, sessionId }))
}
