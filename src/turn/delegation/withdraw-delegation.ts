/** A delegation that its turn no longer waits for, as changes to be recorded with what becomes of its task. */
import type { SessionEventBody } from '../../core/session-event.ts'
import type { TurnWrite } from '../../core/turn-write.ts'
import type { TaskState } from '../task/plan-state.ts'
import type { TurnContext } from '../turn-context.ts'

interface DelegationWithdrawn {
  readonly events: readonly SessionEventBody[]
  readonly changes: Pick<TurnWrite, 'delegationSteps'>
}

/** The delegator cancels what the child does. Nothing, when there is none or it has ended. */
export function withdrawDelegation({ clock }: Pick<TurnContext, 'clock'>, task: TaskState): DelegationWithdrawn {
  const { delegation } = task
  if (delegation === null || (delegation.status !== 'PENDING' && delegation.status !== 'RUNNING'))
    return { events: [], changes: {} }
  const { id, round, messageId } = delegation
  task.delegation = { ...delegation, status: 'CANCELLED' }
  return {
    events: [{ type: 'Delegation', delegationId: id }],
    changes: {
      delegationSteps: [
        { id, status: 'CANCELLED', round, messageId, feedback: null, failure: 'Its turn has ended.', at: clock.now() },
      ],
    },
  }
}
