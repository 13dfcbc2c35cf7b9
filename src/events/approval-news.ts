/** Which approvals a turn's write is about, for the doorbell: told after its commit, by whoever committed. */
import type { TurnWrite } from '../core/turn-write.ts'
import type { News } from './news.ts'

export function approvalNewsOf(sessionId: string, { approvals = [], settledApprovals = [] }: TurnWrite): News[] {
  return [...approvals, ...settledApprovals].map(({ id }) => ({ kind: 'approval', id, sessionId }))
}
