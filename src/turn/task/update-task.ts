/**
 * The one place where a task changes: in memory, and in the journal together with the event and the audit's entry of
 * the change.
 */
import type { SessionEventBody } from '../../core/session-event.ts'
import { OPEN_TASK_STATUSES } from '../../core/status.ts'
import type { TaskPatch, TurnWrite } from '../../core/turn-write.ts'
import { redactTexts } from '../../secrets/free-texts.ts'
import { PATCH_TEXTS } from '../../secrets/turn-texts.ts'
import { withdrawApproval } from '../approvals/withdraw-approval.ts'
import { auditTask } from './audit-task.ts'
import { recordDelegatedSpan } from '../spans/delegated-span.ts'
import type { PlanState, TaskState } from './plan-state.ts'
import type { TaskContext, TurnContext } from '../turn-context.ts'

/** What becomes of a task, and what is recorded with it. */
export interface TaskUpdate {
  readonly patch: TaskPatch
  /** Events before the TaskUpdate, such as the whole text of a message. */
  readonly before?: readonly SessionEventBody[]
  /** Events after the TaskUpdate, such as the next pipeline step. */
  readonly after?: readonly SessionEventBody[]
  readonly changes?: Omit<TurnWrite, 'events' | 'taskPatches'>
}

/** Changes a task and records it, without secrets; a new status is recorded as a TaskUpdate event, too. */
export function updateTask(context: TaskContext, task: TaskState, update: TaskUpdate): void {
  const patch = redactTexts(update.patch, PATCH_TEXTS, context.secrets.redactor())
  const { reviewReason, finishedAt: _finished, final: _final, suppressed: _suppressed, ...columns } = patch
  Object.assign(task, columns, reviewReason === undefined ? {} : { reviewReason })
  const { status } = patch
  const changed: SessionEventBody[] = status === undefined ? [] : [{ type: 'TaskUpdate', taskId: task.id, status }]
  context.journal.record([...(update.before ?? []), ...changed, ...(update.after ?? [])], {
    ...update.changes,
    audit: [...(update.changes?.audit ?? []), ...auditTask(context, task, { patch, changes: update.changes })],
    taskPatches: new Map([[task.id, patch]]),
  })
  if (patch.finishedAt !== undefined) recordDelegatedSpan(context, task)
}

/** Ends every task that has not ended, with `status`. */
export function endOpenTasks(context: TaskContext, plan: PlanState, status: 'SKIPPED' | 'CANCELLED'): void {
  const finishedAt = context.clock.now()
  for (const task of plan.tasks) {
    if (!OPEN_TASK_STATUSES.has(task.status)) continue
    const waited = withdrawApproval(context, task, 'CANCELLED')
    const delegated = withdrawDelegation(context, task)
    // A text that a process, or a pause, left unfinished.
    const dropDeltasOf = task.type === 'MSG' && task.status === 'RUNNING' ? [task.id] : []
    updateTask(context, task, {
      patch: { status, finishedAt },
      before: [...waited.events, ...delegated.events],
      changes: { ...waited.changes, ...delegated.changes, dropDeltasOf },
    })
  }
}

interface DelegationWithdrawn {
  readonly events: readonly SessionEventBody[]
  readonly changes: Pick<TurnWrite, 'delegationSteps'>
}

/**
 * A delegation that its turn no longer waits for, as changes to be recorded with what becomes of its task.
 * The delegator cancels what the child does. Nothing, when there is none or it has ended.
 */
function withdrawDelegation({ clock }: Pick<TurnContext, 'clock'>, task: TaskState): DelegationWithdrawn {
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
