/** An approval that the turn no longer waits for, as changes to be recorded with what becomes of its task. */
import type { SessionEventBody } from '../core/session-event.ts'
import type { SettledApproval, TurnWrite } from '../core/turn-write.ts'
import { entryOf } from './audit-task.ts'
import type { TaskState } from './plan-state.ts'
import type { TurnContext } from './turn-context.ts'

export interface ApprovalWithdrawn {
  readonly events: readonly SessionEventBody[]
  readonly changes: Pick<TurnWrite, 'settledApprovals' | 'audit'>
}

/** Nothing, when there is none or it was settled. */
export function withdrawApproval(
  context: TurnContext,
  task: TaskState,
  status: SettledApproval['status'],
): ApprovalWithdrawn {
  const { id: taskId, approval } = task
  if (approval?.status !== 'PENDING') return { events: [], changes: {} }
  const { id: approvalId } = approval
  task.approval = { ...approval, status }
  const body = { approvalId, taskId, status, scope: null, note: null, before: null, after: null } as const
  return {
    events: [{ type: 'Approval', approvalId }],
    changes: {
      settledApprovals: [{ id: approvalId, status, at: context.clock.now() }],
      audit: [entryOf(context, { kind: 'APPROVAL', ...body })],
    },
  }
}
