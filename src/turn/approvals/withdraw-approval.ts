/** An approval that the turn no longer waits for, as changes to be recorded with what becomes of its task. */
import type { SessionEventBody } from '../../core/session-event.ts'
import type { SettledApproval, TurnWrite } from '../../core/turn-write.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TurnContext } from '../turn-context.ts'

/** To be recorded as one, so that the log tells of what was settled here alone. */
export interface ApprovalWithdrawn {
  readonly events: readonly SessionEventBody[]
  readonly changes: Pick<TurnWrite, 'settledApprovals'>
}

/** Nothing, when there is none or it was settled. */
export function withdrawApproval(
  context: Pick<TurnContext, 'clock'>,
  task: TaskState,
  status: SettledApproval['status'],
): ApprovalWithdrawn {
  const { approval } = task
  if (approval?.status !== 'PENDING') return { events: [], changes: {} }
  const { id: approvalId } = approval
  task.approval = { ...approval, status }
  return {
    events: [{ type: 'Approval', approvalId }],
    changes: { settledApprovals: [{ id: approvalId, status, at: context.clock.now() }] },
  }
}
